import { setTimeout as sleep } from 'node:timers/promises'
import { userInfo } from '@hufu/contract/profile'
import { expect } from 'vitest'
import type { Browser } from '../harness/harness.ts'

/**
 * How long after a moment the last accepted call was sent, in milliseconds. A load that was never accepted before it would
 * show nothing.
 */
export function lastAccepted({ accepted }: { accepted: number[] }, moment: number): number {
  const before = accepted.filter((at) => at < moment).length
  expect(before, 'calls accepted before it ended').toBeGreaterThanOrEqual(least)
  return Math.max(0, ...accepted.map((at) => at - moment))
}

/** The fewest accepted calls that make a load. */
const least = 5

/** Waits until a load is accepted often enough for its end to be seen. */
export async function underWay({ accepted }: { accepted: number[] }): Promise<void> {
  await expect.poll(() => accepted.length, { interval: 5 }).toBeGreaterThanOrEqual(least)
}

/** Browsers that keep calling their own info until stopped; returns when each accepted call was sent. */
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
    /** So far. */
    accepted,
    async stop() {
      stopped = true
      await work
      return { accepted }
    },
  }
}
