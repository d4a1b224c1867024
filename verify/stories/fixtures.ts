import { randomInt } from 'node:crypto'
import type { SiteConfig } from '@hufu/contract/site'
import { test as base, expect, type Page } from '@playwright/test'
import { readConfig } from '../../apps/server/src/platform/config/config.ts'
import { createLog } from '../../apps/server/src/platform/log.ts'
import { createDeps } from '../../apps/server/src/shared/deps.ts'
import { graceDate } from '../../tools/run/grace-date.ts'
import type { InboxMessage } from '../../tools/simulators/inbox-store.ts'
import { type Ground, readGround } from './environment.ts'
import { startServers } from './servers.ts'
import { openSites } from './sites.ts'
import type { StorySite } from './story-site.ts'

export type { StorySite } from './story-site.ts'

interface Product {
  /** A brand of the story's own, on a host of its own, whose codes arrive in the inbox. */
  site(config?: SiteConfig): Promise<StorySite>
}

/** A server that a story may stop and start, on the same stores. */
interface OwnServer extends Product {
  stop(): Promise<void>
  start(): Promise<void>
}

const openDeps = ({ environment }: Ground) => createDeps(readConfig(environment), createLog({ logLevel: 'silent' }))

/** A server beside the one that all stories share. */
async function withServer(ground: Ground, use: (server: OwnServer) => Promise<void>) {
  const deps = await openDeps(ground)
  const { ports, start, stop } = await startServers(ground.environment, 1)
  const sites = openSites(deps, { ...ground, ports, entrance: `http://127.0.0.1:${ports[0]}` })
  await use({ site: sites.site, start, stop })
  await sites.close()
  await stop()
  await deps.close()
}

interface Fixtures {
  /** A product of this story alone, whose server it may stop. */
  ownServer: OwnServer
  /** One that admits operators without a second factor for 30 days. */
  graceServer: Product
  /** What the inbox holds for a number without prefix, an address or an openid, newest first. */
  messagesTo: (to: string) => Promise<InboxMessage[]>
  /** What a pattern finds in the newest message that holds it: another message may have come after that one. */
  findSent: (to: string, pattern: RegExp) => Promise<string>
  /** The newest code for a number without prefix or an address; never one that this story has read before. */
  codeTo: (to: string) => Promise<string>
  /** Fails the story when the page breaks its own policy or throws. */
  watched: undefined
}

export const test = base.extend<Fixtures, { ground: Ground; product: Product }>({
  ground: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from it
    async ({}, use) => {
      await use(readGround())
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ ground }, use) => {
      const deps = await openDeps(ground)
      const sites = openSites(deps, ground)
      await use(sites)
      await sites.close()
      await deps.close()
    },
    { scope: 'worker' },
  ],
  ownServer: async ({ ground }, use) => {
    await withServer(ground, use)
  },
  graceServer: async ({ ground }, use) => {
    const environment = { ...ground.environment, HUFU_OPERATOR_FACTOR_GRACE: graceDate() }
    await withServer({ ...ground, environment }, use)
  },
  messagesTo: async ({ ground }, use) => {
    await use(async (to) => {
      const answer = await fetch(`${ground.inbox}/api/messages?to=${encodeURIComponent(to)}`)
      return ((await answer.json()) as { data: InboxMessage[] }).data
    })
  },
  findSent: async ({ messagesTo }, use) => {
    await use(async (to, pattern) => {
      const find = async () => (await messagesTo(to)).flatMap(({ text }) => pattern.exec(text) ?? [])[0]
      await expect.poll(find, { intervals: [50], timeout: 20_000 }).toBeDefined()
      return (await find()) ?? ''
    })
  },
  codeTo: async ({ messagesTo }, use) => {
    const read = new Map<string, number>()
    await use(async (to) => {
      const codes = async () => (await messagesTo(to)).flatMap(({ text }) => /(?<!\w)\d{6}(?!\w)/.exec(text) ?? [])
      const before = read.get(to) ?? 0
      await expect.poll(async () => (await codes()).length, { intervals: [50] }).toBeGreaterThan(before)
      const all = await codes()
      read.set(to, all.length)
      return all[0] ?? ''
    })
  },
  watched: [
    async ({ page }, use) => {
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => {
        if (/content security policy|minified react error|hydrat/i.test(message.text())) faults.push(message.text())
      })
      await use(undefined)
      expect(faults).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

export const freshMobile = () => `139${String(randomInt(10 ** 8)).padStart(8, '0')}`

/** What the user prefers on this device, set before the page loads. */
export const prefer = (page: Page, preference: Record<string, unknown>) =>
  page.addInitScript((text) => {
    if (!sessionStorage.getItem('preferred')) localStorage.setItem('device_preference', text)
    sessionStorage.setItem('preferred', '1')
  }, JSON.stringify(preference))

/** Holds these calls back from the server until the returned function is called. */
export async function holdBack(page: Page, calls: string): Promise<() => void> {
  const { promise: held, resolve } = Promise.withResolvers<void>()
  await page.route(calls, async (route) => {
    await held
    await route.continue()
  })
  return resolve
}

/** Signs up and in through the pages by an SMS code, and ends on the source. */
export async function signInByCode(
  page: Page,
  site: StorySite,
  codeTo: Fixtures['codeTo'],
  path = '/user',
  mobile = freshMobile(),
) {
  await page.goto(`${site.url}/login/${encodeURIComponent(path)}`)
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(page).toHaveURL(site.url + path)
}
