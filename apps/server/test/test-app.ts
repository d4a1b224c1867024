import { randomBytes, randomUUID } from 'node:crypto'
import type { Endpoint, InputOf, OutputOf } from '@hufu/contract/endpoint'
import type { Failure } from '@hufu/contract/errors'
import type { SiteConfig } from '@hufu/contract/site'
import { Client } from 'pg'
import { inject } from 'vitest'
import { buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/core/config.ts'
import { createDeps, type Deps } from '../src/core/deps.ts'
import type { SiteId } from '../src/core/ids.ts'
import { createLog } from '../src/core/log.ts'
import { migrate } from '../src/core/migrate.ts'
import { createSite } from '../src/features/site/site.service.ts'
import type { App } from '../src/http/app.ts'

export interface TestSite {
  id: SiteId
  host: string
  origin: string
}

export interface Answer<Output> {
  status: number
  headers: Record<string, unknown>
  data: Output | undefined
  code: Failure['code'] | undefined
  message: string | undefined
  details: Record<string, unknown> | undefined
}

export interface TestApp {
  app: App
  deps: Deps
  /** Every line the server has logged. */
  log: string[]
  site(config?: SiteConfig): Promise<TestSite>
  /** As a browser on one of the site's own pages calls. */
  call<E extends Endpoint>(site: TestSite, endpoint: E, input?: InputOf<E>): Promise<Answer<OutputOf<E>>>
  close(): Promise<void>
}

export const fresh = { host: () => `${randomUUID().slice(0, 8)}.example.com` }

export const testKeys = (id = 1) => `${id}:${randomBytes(32).toString('base64')}`

/** An empty database with all migrations applied. */
export async function createDatabase(postgresUrl = inject('postgresUrl')): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new Client({ connectionString: `${postgresUrl}postgres` })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  await migrate(postgresUrl + name, () => {})
  return postgresUrl + name
}

export function testConfig(variables: NodeJS.ProcessEnv): Config {
  const redis = process.env.REDIS_KIND === 'cluster' ? inject('redisClusterUrl') : inject('redisUrl')
  return readConfig({ HUFU_REDIS_URL: redis, HUFU_KEYS: testKeys(), HUFU_PORT: '0', ...variables })
}

/** The real product on a database of its own. */
export async function startTestApp(variables: NodeJS.ProcessEnv = {}): Promise<TestApp> {
  const config = testConfig({
    HUFU_DATABASE_URL: variables.HUFU_DATABASE_URL ?? (await createDatabase()),
    ...variables,
  })
  const log: string[] = []
  const deps = await createDeps(config, createLog(config, { write: (line) => void log.push(line) }))
  const app = buildApp(deps)

  async function site(siteConfig: SiteConfig = {}): Promise<TestSite> {
    const host = fresh.host()
    const origin = `https://${host}`
    const id = await createSite(deps, { origin, config: siteConfig }, 'test')
    await deps.sites.refresh()
    return { id, host, origin }
  }

  async function call<E extends Endpoint>(
    from: TestSite,
    endpoint: E,
    input?: InputOf<E>,
  ): Promise<Answer<OutputOf<E>>> {
    const reply = await app.inject({
      method: 'POST',
      url: endpoint.path,
      headers: { host: from.host, 'sec-fetch-site': 'same-origin' },
      payload: (input ?? {}) as object,
    })
    const body = reply.body === '' ? {} : reply.json()
    const { data, code, message, details } = body
    return { status: reply.statusCode, headers: reply.headers, data, code, message, details }
  }

  return {
    app,
    deps,
    log,
    site,
    call,
    async close() {
      await app.close()
      await deps.close()
    },
  }
}
