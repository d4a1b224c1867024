import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Endpoint, InputOf, OutputOf } from '@hufu/contract/endpoint'
import { loginByMobile } from '@hufu/contract/login'
import { meta, type SiteConfig } from '@hufu/contract/site'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { inject } from 'vitest'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser, type UserToCreate } from '../../apps/server/src/features/users/users.service.ts'
import { type Config, readConfig } from '../../apps/server/src/platform/config/config.ts'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { connectDatabase } from '../../apps/server/src/platform/postgres/db.ts'
import { connectRedis, redisReady } from '../../apps/server/src/platform/redis/client.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { admit, beginSession } from '../../apps/server/src/shared/sessions/begin-session.ts'
import { formatToken } from '../../apps/server/src/shared/sessions/session-cookie.ts'
import { loginOptionsOf } from '../../apps/server/src/shared/sites/login-options.ts'
import { provedFactor } from '../../apps/server/test/enrolled.ts'
import { type Answer, codeTo, fresh, type TestSite, wideLimits } from '../../apps/server/test/test-app.ts'
import { demoMail, demoSms } from '../../tools/simulators/demo-gateways.ts'
import { type Reply, send } from './http.ts'

/** Counts are smaller where a run must be short. */
export const short = process.env.HUFU_SHORT === '1'
export const few = (full: number, less: number): number => (short ? less : full)

export const password = 'Qy#2026autumn'
export const number = (mobile: string) => ({ mobilePrefix: '86', mobile })

let lastNetwork = randomInt(2 ** 32)

/** An address in a new network; the step is odd, so that no address repeats before all were used. */
export function freshAddress(): string {
  lastNetwork = (lastNetwork + 2_654_435_769) >>> 0
  const [high, low] = [lastNetwork >>> 16, lastNetwork & 0xffff]
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::${randomInt(1, 65_536).toString(16)}`
}

export interface BrowserOptions {
  userAgent?: string
  /** As reported by a trusted proxy; each browser has its own unless given. */
  address?: string
  /** The processes to call in turn. */
  urls?: string[]
}

export interface SessionOptions extends BrowserOptions {
  /** A second factor was just proved in it, which is a step-up. */
  factor?: boolean
}

export type CallResponse<Output> = Answer<Output> & Reply

export interface Browser {
  cookies: Map<string, string>
  address: string
  call<E extends Endpoint>(endpoint: E, input?: InputOf<E>, address?: string): Promise<CallResponse<OutputOf<E>>>
  /** The same with any body and headers; `undefined` removes a header. */
  post(path: string, body: string, headers?: Record<string, string | undefined>): Promise<CallResponse<unknown>>
  /** The browser follows a link or opens an address; redirects are returned, not followed. */
  get(path: string, headers?: Record<string, string | undefined>): Promise<CallResponse<unknown>>
}

export interface User extends Browser {
  id: UserId
}

export interface Harness {
  deps: Pick<Deps, 'db' | 'pool' | 'cache' | 'config'>
  /** Sites that every process serves by now. */
  sites(count: number, config?: (index: number) => SiteConfig): Promise<TestSite[]>
  codeSite(config?: SiteConfig): Promise<TestSite>
  /** Waits until every process serves the site. */
  served(site: TestSite): Promise<void>
  browser(site: TestSite, options?: BrowserOptions): Browser
  /** Creates a user and signs in through the public calls. */
  signIn(site: TestSite, options?: BrowserOptions & { mobile?: string }): Promise<User & { mobile: string }>
  user(
    site: TestSite,
    own?: UserToCreate,
  ): Promise<{ id: UserId; mobile: string; email: string; username: string; password: string }>
  /** A session of an existing account, without a sign-in; of a protected one it began with a factor. */
  session(site: TestSite, id: UserId, options?: SessionOptions): Promise<User>
  passMinute(site: TestSite, receiver: string): Promise<void>
  close(): Promise<void>
}

/** The config of a site whose codes arrive in the inbox and whose limits are not reached by chance. */
export const codeConfig = (own: SiteConfig = {}): SiteConfig => ({
  sms: demoSms,
  mail: demoMail(inject('smtpPort')),
  limits: wideLimits,
  ...own,
})

const browserCookie = '__Host-hufu-browser'

let turn = 0

/** Uses the two processes in turn, as a load balancer would. */
export const nextUrl = (urls = inject('apiUrls')): string => urls[turn++ % urls.length] ?? ''

function openBrowser(site: TestSite, options: BrowserOptions = {}): Browser {
  const { userAgent = '', address: own = freshAddress(), urls } = options
  const cookies = new Map<string, string>()
  async function ask(method: string, path: string, body: string, headers: Record<string, string | undefined>) {
    const all = {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'user-agent': userAgent,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'x-forwarded-for': own,
      ...headers,
    }
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const reply = await send(nextUrl(urls), { method, path, body, headers: Object.fromEntries(given) })
    keepCookies(cookies, reply)
    return { ...parse(reply.body), ...reply }
  }
  const post: Browser['post'] = (path, body, headers) =>
    ask('POST', path, body, { 'content-type': 'application/json', ...headers })
  return {
    cookies,
    address: own,
    post,
    get: (path, headers = {}) => ask('GET', path, '', headers),
    call: (endpoint, input, address = own) =>
      post(endpoint.path, JSON.stringify(input ?? {}), { 'x-forwarded-for': address }) as Promise<CallResponse<never>>,
  }
}

function keepCookies(cookies: Map<string, string>, { headers }: Reply): void {
  for (const line of headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

type Parsed = Pick<Answer<unknown>, 'data' | 'code' | 'message' | 'details'>

function parse(body: string): Parsed {
  const nothing: Parsed = { data: undefined, code: undefined, message: undefined, details: undefined }
  try {
    return { ...nothing, ...(JSON.parse(body) as Parsed) }
  } catch {
    return nothing
  }
}

/** The code that a call has sent. A refused call sent none: nothing is waited for. */
export async function codeSent({ status, body }: Pick<Reply, 'status' | 'body'>, to: string): Promise<string> {
  if (status !== 200) throw new Error(`no code was sent: ${status} ${body}`)
  return await codeTo(to)
}

/** Requests an SMS code and reads it from the inbox. */
export const askCode = async (browser: Browser, mobile: string): Promise<string> =>
  codeSent(await browser.call(sendMobileCode, number(mobile)), mobile)

export async function openHarness(environment = inject('environment'), urls = inject('apiUrls')): Promise<Harness> {
  // Preparation is never refused, also where the processes of the product shed load.
  const config: Config = readConfig({ ...environment, HUFU_LOAD_SHEDDING: '0' })
  const { db, pool } = connectDatabase(config, () => {})
  const cache = connectRedis(config.redisCacheUrl, { timeoutMs: 1_000 }, () => {})
  await redisReady(cache)
  const deps = { db, pool, cache, config }

  async function served(site: TestSite) {
    const asked = async (url: string) => (await send(url, { path: meta.path, headers: { host: site.host } })).status
    for (const url of urls) {
      for (let waited = 0; (await asked(url)) !== 200; waited += 50) {
        if (waited > 60_000) throw new Error(`${url} doesn't serve ${site.host}`)
        await sleep(50)
      }
    }
  }

  async function sites(count: number, configOf: (index: number) => SiteConfig = () => ({})) {
    const made: TestSite[] = []
    for (let index = 0; index < count; index++) {
      const host = fresh.host()
      const origin = `https://${host}`
      made.push({ id: await createSite(deps, { origin, config: configOf(index) }, 'attack'), host, origin })
    }
    for (const site of made) await served(site)
    return made
  }

  const browser: Harness['browser'] = (site, options = {}) => openBrowser(site, { urls, ...options })

  async function user(site: TestSite, own: UserToCreate = {}) {
    const names = { mobile: fresh.mobile(), email: fresh.email(), username: fresh.username() }
    return { ...names, password, id: await createUser(deps, site.id, { ...names, password, ...own }, 'attack') }
  }

  async function session(site: TestSite, id: UserId, { factor, ...options }: SessionOptions = {}): Promise<User> {
    const own = browser(site, options)
    const mark = randomBytes(16).toString('base64url')
    const visitor = { address: own.address, bucket: '', userAgent: '', browserHash: sha256(mark) }
    const at = { ...site, status: 'active' as const, version: '1', hosts: [], config: {}, login: loginOptionsOf({}) }
    const extras = factor ? { factor: 'now' as const } : await provedFactor(deps, id)
    const entered = await db.transaction().execute((tx) => beginSession(tx, at, id, visitor, 'password', extras))
    const { token } = admit({ entered, created: false })
    own.cookies.set(browserCookie, mark)
    own.cookies.set('__Host-hufu', formatToken(token))
    return { ...own, id }
  }

  return {
    deps,
    sites,
    served,
    async codeSite(own = {}) {
      const [site] = await sites(1, () => codeConfig(own))
      if (!site) throw new Error('no site')
      return site
    },
    browser,
    async signIn(site, { mobile = fresh.mobile(), ...options } = {}) {
      const visitor = browser(site, options)
      const answer = await visitor.call(loginByMobile, { ...number(mobile), code: await askCode(visitor, mobile) })
      if (!answer.data) throw new Error(`signing in failed: ${answer.status} ${answer.code}`)
      return { ...visitor, mobile, id: answer.data.id as UserId }
    },
    user,
    session,
    async passMinute(site, receiver) {
      await pool.query(
        "UPDATE receiver SET last_sent_at = last_sent_at - interval '61 seconds' WHERE site_id = $1 AND receiver = $2",
        [site.id, receiver],
      )
    },
    async close() {
      cache.disconnect()
      await db.destroy()
    },
  }
}
