import { setTimeout as sleep } from 'node:timers/promises'
import { userInfo } from '@hufu/contract/profile'
import type { Browser } from './harness.ts'

/** Browsers that ask who they are, over and over, until stopped; answers when each accepted call was sent. */
export function hammer(browsers: Browser[], pause = 2) {
  let stopped = false
  const accepted: number[] = []
  const work = Promise.all(
    browsers.map(async (browser) => {
      while (!stopped) {
        const at = performance.now()
        if ((await browser.call(userInfo)).status === 200) accepted.push(at)
        await sleep(pause)
      }
    }),
  )
  return {
    async stop() {
      stopped = true
      await work
      return { accepted }
    },
  }
}
