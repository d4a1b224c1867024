import { randomInt, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { SiteConfig } from '@hufu/contract/site'
import { test as base, expect, type Page } from '@playwright/test'
import { readConfig } from '../apps/server/src/core/config.ts'
import { createDeps } from '../apps/server/src/core/deps.ts'
import type { UserId } from '../apps/server/src/core/ids.ts'
import { createLog } from '../apps/server/src/core/log.ts'
import {
  changeSite,
  createSite,
  readConfig as readSiteConfig,
  saveConfig,
} from '../apps/server/src/features/site/site.service.ts'
import { createUser, grant, type UserToCreate } from '../apps/server/src/features/users/users.service.ts'
import { deliveredProxy, type Nginx, runNginx } from '../attacks/nginx.ts'
import { certificate } from '../tools/compat/https.ts'
import { artefact } from '../tools/run/build.ts'
import { demoLimits, simulatorEnvironment } from '../tools/run/demo-site.ts'
import { hufu, layGround, type Running, ready, runHufu, webFolder } from '../tools/run/product.ts'
import { demoMail, demoSms } from '../tools/simulators/demo-gateways.ts'
import { type Simulators, startSimulators } from '../tools/simulators/start-simulators.ts'
import { freePorts } from '../tools/stores/ports.ts'

export interface StorySite {
  url: string
  disable(): Promise<void>
  save(config: SiteConfig): Promise<void>
  createUser(user: UserToCreate): Promise<string>
  /** Rights in the back-office. */
  grant(userId: string, actions: string[]): Promise<void>
  /** For what time does: a query of the story's own on the database. */
  query(text: string, values: unknown[]): Promise<void>
  /** What time does to a request to sign in by scan. */
  expireScan(id: string): Promise<void>
}

interface Product {
  /** A brand of the story's own, on a host of its own, whose codes arrive in the inbox. */
  site(config?: SiteConfig): Promise<StorySite>
  /** From now on jobs in the background are done, too. */
  work(): void
}

/** A server that a story may stop and start, on the same stores. */
interface OwnServer extends Product {
  stop(): Promise<void>
  start(): Promise<void>
  /** Ends the server and everything that this side holds open. */
  close(): Promise<void>
}

interface Ground {
  environment: Record<string, string>
  simulators: Simulators
}

/** One process of the sources that browsers meet themselves; of a release two, behind the proxy and TLS that go with it. */
async function startProduct({ environment: ground, simulators }: Ground): Promise<OwnServer> {
  const ports = await freePorts(artefact ? 2 : 1)
  const environment = {
    ...ground,
    ...(!artefact && { HUFU_WEB_FOLDER: webFolder }),
    HUFU_LOG_LEVEL: 'warn',
    // A story tells where its browsers are as a proxy would.
    HUFU_TRUSTED_PROXIES: '127.0.0.0/8',
    HUFU_LOAD_SHEDDING: '0',
  }
  const deps = await createDeps(readConfig(environment), createLog({ logLevel: 'silent' }))
  const sending = { sms: demoSms, mail: demoMail(simulators.smtpPort), limits: demoLimits }
  let servers: Running[] = []
  let worker: Running | undefined
  let proxy: Nginx | undefined
  async function start() {
    servers = ports.map((port) => runHufu('serve', { ...environment, HUFU_PORT: String(port) }))
    await Promise.all(servers.map((server, at) => ready(`http://127.0.0.1:${ports[at]}`, server)))
  }
  async function stop() {
    await Promise.all(servers.map((server) => server.stop()))
    servers = []
  }
  function work() {
    worker ??= runHufu('work', environment)
  }
  /** Wherever a call ends up. */
  const everywhere = (host: string, status: number, path?: string) =>
    expect.poll(() => Promise.all(ports.map((port) => statusAt(port, host, path)))).toEqual(ports.map(() => status))
  await start()
  if (artefact) {
    proxy = await runNginx({ ...deliveredProxy(ports), tls: certificate() })
    work()
  }
  const entrance = proxy ? new URL(proxy.url) : new URL(`http://127.0.0.1:${ports[0]}`)
  return {
    async site(config = {}) {
      const host = `s${randomUUID().slice(0, 8)}.localhost`
      const url = `${entrance.protocol}//${host}:${entrance.port}`
      const id = await createSite(deps, { origin: url, config: { name: '青屿生活', ...sending, ...config } }, 'story')
      await everywhere(host, 200)
      return {
        url,
        async disable() {
          await changeSite(deps, id, { status: 'disabled' }, 'story')
          await everywhere(host, 503, '/api/meta')
        },
        async save(changed) {
          const { version } = await readSiteConfig(deps, id)
          await saveConfig(deps, id, { config: changed, basedOn: version }, 'story')
        },
        createUser: (user) => createUser(deps, id, user, 'story'),
        grant: (userId, actions) => grant(deps, id, userId as UserId, 'MERCHANT', actions, 'story'),
        query: async (text, values) => void (await deps.pool.query(text, [id, ...values])),
        expireScan: async (request) => void (await deps.redis.del(`{scan:${id}:${request}}`)),
      }
    },
    work,
    start,
    stop,
    async close() {
      await proxy?.stop()
      await worker?.stop()
      await stop()
      await deps.close()
    },
  }
}

/** fetch won't send a Host of our choice, and the names of stories are known to the browser alone. */
const statusAt = (port: number, host: string, path = '/') =>
  new Promise((resolve) => {
    const method = path.startsWith('/api/') ? 'POST' : 'GET'
    request({ port, host: '127.0.0.1', path, method, headers: { host } }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on('error', resolve)
      .end()
  })

interface Fixtures {
  /** A product of this story alone, whose server it may stop. */
  ownServer: OwnServer
  /** The code that arrived last for a number without prefix or an address. */
  codeTo: (to: string) => Promise<string>
  /** Fails the story when the page breaks its own policy or throws. */
  watched: undefined
}

export const test = base.extend<Fixtures, { ground: Ground; product: Product }>({
  ground: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from it
    async ({}, use) => {
      const stores = await layGround()
      const simulators = await startSimulators({ limits: false })
      const environment = { ...stores.environment, ...simulatorEnvironment(simulators) }
      await hufu(environment, ['migrate'])
      await use({ environment, simulators })
      await simulators.stop()
      await stores.stop()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  product: [
    async ({ ground }, use) => {
      const product = await startProduct(ground)
      await use(product)
      await product.close()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  ownServer: async ({ ground }, use) => {
    const product = await startProduct(ground)
    await use(product)
    await product.close()
  },
  codeTo: async ({ ground }, use) => {
    await use(async (to) => {
      const code = () => /(?<!\w)\d{6}(?!\w)/.exec(ground.simulators.messages(to)[0]?.text ?? '')?.[0] ?? ''
      await expect.poll(code).toMatch(/\d{6}/)
      return code()
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

/** What the person prefers on this device, set before the page loads. */
export const prefer = (page: Page, preference: Record<string, unknown>) =>
  page.addInitScript((text) => {
    if (!sessionStorage.getItem('preferred')) localStorage.setItem('device_preference', text)
    sessionStorage.setItem('preferred', '1')
  }, JSON.stringify(preference))

/** Holds back what the server would hear of these calls until the answered function is called. */
export async function holdBack(page: Page, calls: string): Promise<() => void> {
  const { promise: held, resolve } = Promise.withResolvers<void>()
  await page.route(calls, async (route) => {
    await held
    await route.continue()
  })
  return resolve
}

/** Signs a new number up and in through the pages, and ends on the source. */
export async function signIn(
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
  return mobile
}
