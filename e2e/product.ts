import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { SiteConfig } from '@hufu/contract/site'
import { test as base, expect, type Page } from '@playwright/test'
import { readConfig } from '../apps/server/src/core/config.ts'
import { connectDatabase } from '../apps/server/src/core/db.ts'
import {
  changeSite,
  createSite,
  readConfig as readSiteConfig,
  saveConfig,
} from '../apps/server/src/features/site/site.service.ts'
import { hufu, layGround, type Running, ready, runHufu, webFolder } from '../tools/run/product.ts'
import { freePort } from '../tools/stores/ports.ts'

export interface StorySite {
  url: string
  disable(): Promise<void>
  save(config: SiteConfig): Promise<void>
}

interface Product {
  /** A brand of the story's own, on a host of its own. */
  site(config?: SiteConfig): Promise<StorySite>
}

/** A server that a story may stop and start, on the same stores. */
interface OwnServer extends Product {
  stop(): Promise<void>
  start(): Promise<void>
}

type Ground = Awaited<ReturnType<typeof layGround>>

async function startProduct(ground: Ground): Promise<OwnServer> {
  const port = await freePort()
  const environment = {
    ...ground.environment,
    HUFU_PORT: String(port),
    HUFU_WEB_FOLDER: webFolder,
    HUFU_LOG_LEVEL: 'warn',
  }
  const config = readConfig(environment)
  const { db } = connectDatabase(config, () => {})
  const deps = { db, config }
  let server: Running | undefined
  async function start() {
    server = runHufu('serve', environment)
    await ready(`http://127.0.0.1:${port}`, server)
  }
  await start()
  return {
    async site(siteConfig = {}) {
      const host = `s${randomUUID().slice(0, 8)}.localhost`
      const url = `http://${host}:${port}`
      const id = await createSite(deps, { origin: url, config: { name: '青屿生活', ...siteConfig } }, 'story')
      await expect.poll(() => statusAt(port, host)).toBe(200)
      return {
        url,
        async disable() {
          await changeSite(deps, id, { status: 'disabled' }, 'story')
          await expect.poll(() => statusAt(port, host, '/api/meta')).toBe(503)
        },
        async save(changed) {
          const { version } = await readSiteConfig(deps, id)
          await saveConfig(deps, id, { config: changed, basedOn: version }, 'story')
        },
      }
    },
    start,
    async stop() {
      await server?.stop()
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
  /** Fails the story when the page breaks its own policy or throws. */
  watched: undefined
}

export const test = base.extend<Fixtures, { ground: Ground; product: Product }>({
  ground: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from it
    async ({}, use) => {
      const ground = await layGround()
      await hufu(ground.environment, ['migrate'])
      await use(ground)
      await ground.stop()
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ ground }, use) => {
      const product = await startProduct(ground)
      await use(product)
      await product.stop()
    },
    { scope: 'worker' },
  ],
  ownServer: async ({ ground }, use) => {
    const product = await startProduct(ground)
    await use(product)
    await product.stop()
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

/** What the person prefers on this device, set before the page loads. */
export const prefer = (page: Page, preference: Record<string, unknown>) =>
  page.addInitScript((text) => {
    if (!sessionStorage.getItem('preferred')) localStorage.setItem('device_preference', text)
    sessionStorage.setItem('preferred', '1')
  }, JSON.stringify(preference))
