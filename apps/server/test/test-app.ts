import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, type InputOf, type OutputOf, requestOf } from '@hufu/contract/endpoint'
import type { Failure } from '@hufu/contract/errors'
import { loginByMobile } from '@hufu/contract/login'
import type { SiteConfig } from '@hufu/contract/site'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { Client } from 'pg'
import { inject } from 'vitest'
import { demoMail, demoSms } from '../../../tools/simulators/demo-gateways.ts'
import { buildApp } from '../src/app.ts'
import { createSite } from '../src/features/site/site.service.ts'
import type { App } from '../src/http/app.ts'
import { codesOf } from '../src/http/openapi/failures.ts'
import { type Config, readConfig } from '../src/platform/config/config.ts'
import type { SiteId } from '../src/platform/ids.ts'
import { createLog } from '../src/platform/log.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { createDeps, type Deps } from '../src/shared/deps.ts'

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
  // biome-ignore lint/suspicious/noExplicitAny: each code has details of its own
  details: any
}

export interface TestBrowser {
  cookies: Map<string, string>
  call<E extends Endpoint>(endpoint: E, input?: InputOf<E>): Promise<Answer<OutputOf<E>>>
  /** Opens an address of the site, sent there by one of its own pages unless the headers say otherwise; where it leads to. */
  go(address: string, headers?: Record<string, string>): Promise<string>
}

export interface BrowserOptions {
  userAgent?: string
  /** As a trusted proxy sends it. */
  address?: string
}

export interface TestApp {
  app: App
  deps: Deps
  /** Every line the server has logged. */
  log: string[]
  site(config?: SiteConfig): Promise<TestSite>
  /** A site whose codes go through the simulators, with limits that a test doesn't meet by chance. */
  codeSite(config?: SiteConfig): Promise<TestSite>
  /** One that keeps its cookies and calls as the site's own pages do. */
  browser(site: TestSite, options?: BrowserOptions): TestBrowser
  /** A call of a browser that has no cookies yet. */
  call<E extends Endpoint>(site: TestSite, endpoint: E, input?: InputOf<E>): Promise<Answer<OutputOf<E>>>
  /** Registers and signs in a new user. */
  signIn(
    site: TestSite,
    options?: BrowserOptions & { mobile?: string },
  ): Promise<TestBrowser & { mobile: string; id: string }>
  /** Lets time pass for a receiver, so that the next code may be sent. */
  passMinute(site: TestSite, receiver: string): Promise<void>
  close(): Promise<void>
}

const numbers = 10 ** 8
let lastNumber = randomInt(numbers)

/** Far from the last one, and none twice: the step has no factor in common with how many there are. */
function nextNumber(): string {
  lastNumber = (lastNumber + 61_803_399) % numbers
  return lastNumber.toString().padStart(8, '0')
}

export const fresh = {
  host: () => `${randomUUID().slice(0, 8)}.example.com`,
  mobile: () => `139${nextNumber()}`,
  email: () => `p${randomUUID().slice(0, 12)}@example.com`,
  username: () => `u${randomUUID().replaceAll('-', '').slice(0, 12)}`,
}

export const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

export const testKeys = (id = 1) => `${id}:${randomBytes(32).toString('base64')}`

export const wideLimits = {
  receiverHour: 1000,
  receiverDay: 10_000,
  addressProof: 100_000,
  addressHour: 100_000,
  prefixDay: 100_000,
  siteDay: 100_000,
  wrongCodesHour: 100_000,
}

const template = 'migrated'

/** Made once; a copy of it takes a tenth of the time that all migrations take. */
async function makeTemplate(client: Client, postgresUrl: string): Promise<void> {
  await client.query("SELECT pg_advisory_lock(hashtext('template'))")
  const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template])
  if (rows.length === 0) {
    await client.query(`CREATE DATABASE making_${template}`)
    await migrate(`${postgresUrl}making_${template}`, () => {})
    await client.query(`ALTER DATABASE making_${template} RENAME TO ${template}`)
  }
  await client.query("SELECT pg_advisory_unlock(hashtext('template'))")
}

/** An empty database with all migrations applied. */
export async function createDatabase(postgresUrl = inject('postgresUrl')): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new Client({ connectionString: `${postgresUrl}postgres` })
  await client.connect()
  try {
    await makeTemplate(client, postgresUrl)
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  } finally {
    await client.end()
  }
  return postgresUrl + name
}

export function testConfig(variables: NodeJS.ProcessEnv): Config {
  const redis = process.env.REDIS_KIND === 'cluster' ? inject('redisClusterUrl') : inject('redisUrl')
  return readConfig({
    HUFU_REDIS_URL: redis,
    HUFU_KEYS: testKeys(),
    HUFU_PORT: '0',
    HUFU_ALIYUN_SMS_URL: inject('aliyunUrl'),
    HUFU_TENCENT_SMS_URL: inject('tencentUrl'),
    HUFU_WECHAT_URL: inject('wechatUrl'),
    HUFU_WECHAT_OPEN_URL: inject('wechatUrl'),
    HUFU_WECHAT_PICTURES: inject('wechatUrl'),
    HUFU_TRUSTED_PROXIES: '127.0.0.0/8',
    HUFU_MAIL_NETWORKS: '127.0.0.0/8',
    // A busy machine must not fail a test that is about something else.
    HUFU_LOAD_SHEDDING: '0',
    ...variables,
  })
}

/** What has arrived for a number without prefix or an address, newest first. */
export async function messagesTo(to: string): Promise<{ text: string; channel: string; to: string }[]> {
  const answer = await fetch(`${inject('inboxUrl')}/api/messages?to=${encodeURIComponent(to)}`)
  return ((await answer.json()) as { data: { text: string; channel: string; to: string }[] }).data
}

/** The code that was sent last; a notice may have come after it. */
export async function codeTo(to: string): Promise<string> {
  for (const until = performance.now() + 10_000; performance.now() < until; await sleep(50)) {
    const codes = (await messagesTo(to)).flatMap(({ text }) => /(?<!\w)\d{6}(?!\w)/.exec(text) ?? [])
    if (codes[0]) return codes[0]
  }
  throw new Error(`no code has arrived for ${to}`)
}

/** The id of the session that a browser's cookie names. */
export const sessionOf = ({ cookies }: { cookies: Map<string, string> }): string =>
  (cookies.get('__Host-hufu') ?? '').split('.')[1] ?? ''

export const wrongCode = (right: string) => ((Number(right) + 1) % 1_000_000).toString().padStart(6, '0')

/** The contract lists every code that a call answers. */
function demandListed(endpoint: Endpoint, code: Failure['code']): void {
  if (!codesOf(endpoint).includes(code)) throw new Error(`${endpoint.path} answers ${code}, which its contract omits`)
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

  function browser(from: TestSite, { userAgent = '', address }: BrowserOptions = {}): TestBrowser {
    const cookies = new Map<string, string>()
    const own = () => ({
      host: from.host,
      'sec-fetch-site': 'same-origin',
      'user-agent': userAgent,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(address && { 'x-forwarded-for': address }),
    })
    function keep(reply: { cookies: { name: string; value: string; maxAge?: number }[] }) {
      for (const cookie of reply.cookies) {
        if (cookie.maxAge === 0) cookies.delete(cookie.name)
        else cookies.set(cookie.name, cookie.value)
      }
    }
    async function go(to: string, headers: Record<string, string> = {}): Promise<string> {
      const { pathname, search } = new URL(to, from.origin)
      const reply = await app.inject({ method: 'GET', url: pathname + search, headers: { ...own(), ...headers } })
      keep(reply as Parameters<typeof keep>[0])
      return String(reply.headers.location ?? reply.statusCode)
    }
    async function call<E extends Endpoint>(endpoint: E, input?: InputOf<E>): Promise<Answer<OutputOf<E>>> {
      const { url, body } = requestOf(endpoint, (input ?? {}) as object)
      const reply = await app.inject({ method: endpoint.method, url, headers: own(), ...(body && { payload: body }) })
      keep(reply as Parameters<typeof keep>[0])
      const { data, code, message, details } = reply.body === '' ? {} : reply.json()
      if (code !== undefined) demandListed(endpoint, code)
      return { status: reply.statusCode, headers: reply.headers, data, code, message, details }
    }
    return { cookies, call, go }
  }

  return {
    app,
    deps,
    log,
    site,
    codeSite: (own = {}) => site({ sms: demoSms, mail: demoMail(inject('smtpPort')), limits: wideLimits, ...own }),
    browser,
    call: (from, endpoint, input) => browser(from).call(endpoint, input),
    async signIn(from, { mobile = fresh.mobile(), ...options } = {}) {
      const visitor = browser(from, options)
      await visitor.call(sendMobileCode, { mobilePrefix: '86', mobile })
      const answer = await visitor.call(loginByMobile, { mobilePrefix: '86', mobile, code: await codeTo(mobile) })
      if (!answer.data) throw new Error(`signing in failed: ${answer.code}`)
      return { ...visitor, mobile, id: answer.data.id }
    },
    async passMinute(from, receiver) {
      await deps.pool.query(
        "UPDATE receiver SET last_sent_at = last_sent_at - interval '61 seconds' WHERE site_id = $1 AND receiver = $2",
        [from.id, receiver],
      )
    },
    async close() {
      await app.close()
      await deps.close()
    },
  }
}
