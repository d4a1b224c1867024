import { setTimeout as sleep } from 'node:timers/promises'
import { logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import type { Browser, Harness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'

/** The same browser at one process. */
function at(t: Harness, site: TestSite, { cookies }: Browser, url: string): Browser {
  const same = t.browser(site, { urls: [url] })
  for (const [name, value] of cookies) same.cookies.set(name, value)
  return same
}

const isIn = async (browser: Browser): Promise<boolean> => (await browser.call(userInfo)).status === 200

export interface SignedIn {
  /** How many of them are still signed in. */
  left(urls: string[]): Promise<number>
}

/** Users who signed in before the upgrade and stay. */
export async function signSomeIn(t: Harness, site: TestSite, count: number): Promise<SignedIn> {
  const users = await together(count, 4, () => t.signIn(site))
  return {
    async left(urls) {
      const found = await together(count, 4, async (index) => {
        const user = users[index] as Browser
        const answers = await Promise.all(urls.map((url) => isIn(at(t, site, user, url))))
        return answers.every(Boolean)
      })
      return found.filter(Boolean).length
    },
  }
}

/** Signs users out at one version; of so many the ones that the other accepts a second later, though it had them cached. */
export async function endAcross(
  t: Harness,
  site: TestSite,
  { from, to, count }: { from: string; to: string; count: number },
): Promise<number> {
  const accepted = await together(count, 4, async () => {
    const user = await t.signIn(site)
    const [here, there] = [at(t, site, user, from), at(t, site, user, to)]
    // Twice, so that both answer from the cache.
    for (const browser of [here, there, here, there])
      if (!(await isIn(browser))) throw new Error('a session that was just begun is refused')
    const kept = at(t, site, there, to)
    if ((await here.call(logout)).status !== 200) throw new Error('the user could not sign out')
    await sleep(1_000)
    return await isIn(kept)
  })
  return accepted.filter(Boolean).length
}
