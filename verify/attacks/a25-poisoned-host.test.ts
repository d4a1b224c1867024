import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changeUsername } from '@hufu/contract/account'
import { bindAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { entry } from '@hufu/contract/login'
import { readConfig, updateConfig } from '@hufu/contract/merchant-config'
import { startRecovery } from '@hufu/contract/recovery'
import { createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import { sendEmailCode } from '@hufu/contract/verify-code'
import {
  bindWechat,
  checkByWechat,
  refreshWechat,
  wechatCallback,
  wechatLogin,
  wechatTicket,
} from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { fresh, messagesTo, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { bind, createId, shop, ticketIn } from '../harness/authorizing.ts'
import { callerOf } from '../harness/callers.ts'
import { few, freshAddress, type Harness, nextUrl, openHarness, type User } from '../harness/harness.ts'
import { type Poison, poisons } from './poisons.ts'
import { headerOf, type RawReply, sendRaw } from './raw.ts'

const evil = 'evil.example'

let t: Harness
let site: TestSite
let other: TestSite
let user: User
let email: string
let admin: User
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: [shop], wechat: await newWechat() })
  other = await t.codeSite({ name: '另一家' })
  const made = await t.user(site, { password: undefined })
  email = made.email
  user = await t.session(site, made.id)
  admin = (await callerOf(t, 'merchantAdmin', site)) as User
  const { rows } = await t.deps.pool.query(
    "INSERT INTO blob (site_id, id, owner_id, kind, type, bytes) VALUES ($1, gen_random_uuid(), $2, 'avatar', 'image/webp', '') RETURNING id",
    [site.id, user.id],
  )
  await t.deps.pool.query('UPDATE users SET avatar_id = $2 WHERE id = $1', [user.id, rows[0].id])
})
afterAll(() => t.close())

interface Flow {
  name: string
  path: string
  method?: 'GET'
  /** As a visitor without cookies. */
  stranger?: boolean
  /** In a session of its own. */
  who?: () => Promise<User>
  userAgent?: string
  /** Anew for every try, since much of it may be used once. */
  body?: () => Promise<object> | object
  query?: () => Promise<string>
  /** What must be right about an answer that was given. */
  check: (reply: RawReply, body: object) => void | Promise<void>
}

const dataOf = ({ body }: RawReply) => (JSON.parse(body) as { data: unknown }).data

/** The return address given to WeChat is on the stored origin only. */
function checkRedirectUri(reply: RawReply): void {
  const address = new URL(headerOf(reply, 'location') ?? '')
  expect(address.origin).toBe(inject('environment').HUFU_WECHAT_OPEN_URL)
  expect(address.searchParams.get('redirect_uri')).toBe(site.origin + wechatCallback.path)
}

/** One in which a change may be made; it ends with its secret being renewed. */
async function checkedSession(): Promise<User> {
  const session = await t.session(site, user.id)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(session)])
  return session
}

/** One that has shown both of its proofs, to a recovery that hasn't begun. */
async function recoveryTicket(): Promise<string> {
  const ticket = randomBytes(32).toString('base64url')
  const mark = user.cookies.get('__Host-hufu-browser') ?? ''
  await t.deps.pool.query('DELETE FROM recovery WHERE user_id = $1', [user.id])
  await t.deps.pool.query(
    `INSERT INTO recovery_ticket (site_id, ticket_hash, user_id, browser_hash, proved_at, expires_at)
      VALUES ($1, $2, $3, $4, now(), now() + interval '1 minute')`,
    [site.id, sha256(ticket), user.id, sha256(mark)],
  )
  return ticket
}

const flows: Flow[] = [
  { name: 'meta', path: meta.path, check: (reply) => expect(dataOf(reply)).not.toMatchObject({ name: '另一家' }) },
  {
    name: 'entry',
    path: entry.path,
    body: () => ({ source: '/user/theme' }),
    check: (reply) => expect(dataOf(reply)).toBe('/user/theme'),
  },
  {
    name: 'entry inside WeChat',
    path: entry.path,
    stranger: true,
    userAgent: 'MicroMessenger',
    body: () => ({ source: '/user/theme' }),
    check: (reply) => expect(dataOf(reply)).toBe(`${wechatLogin.path}?source=%2Fuser%2Ftheme`),
  },
  {
    name: 'scan, as the code on the screen says it',
    path: createScanRequest.path,
    stranger: true,
    check: (reply) => expect(dataOf(reply)).toMatchObject({ origin: site.origin }),
  },
  {
    name: 'scan, as the one who approves sees it',
    path: processScanRequest.path,
    body: async () => ({ ...(await t.browser(site).call(createScanRequest)).data, status: 0 }),
    check: (reply) => expect(dataOf(reply)).toMatchObject({ host: site.host }),
  },
  {
    name: 'authorization, signed out',
    path: bindAuthorization.path,
    stranger: true,
    body: async () => ({ id: await createId(t.browser(site)) }),
    check: (reply) => expect(dataOf(reply)).toMatch(/^\/login\/%2FloginAuthorize%2F[\w-]+$/),
  },
  {
    name: 'authorization, signed in',
    path: bindAuthorization.path,
    body: async () => ({ id: await createId(t.browser(site)) }),
    check: (reply) => expect(dataOf(reply)).toMatch(/^https:\/\/shop\.example\.com\/callback\?authorize=[\w-]+$/),
  },
  {
    name: "exchange, with the picture's address",
    path: exchangeTicket.path,
    stranger: true,
    body: async () => {
      const { data } = await bind(await t.session(site, user.id), await createId(t.browser(site)))
      return { client: shop.id, secret: shop.secret, ticket: ticketIn(data) }
    },
    check(reply) {
      const { avatar } = dataOf(reply) as { avatar: string }
      expect(avatar.startsWith(`${site.origin}/api/avatar?id=${user.id}&t=`)).toBe(true)
    },
  },
  {
    name: 'sign-in through WeChat',
    path: wechatLogin.path,
    method: 'GET',
    stranger: true,
    query: async () => 'source=%2Fuser',
    check: checkRedirectUri,
  },
  {
    name: 'binding WeChat',
    path: bindWechat.path,
    method: 'GET',
    query: async () => `ticket=${(await user.call(wechatTicket, {}, freshAddress())).data}`,
    check: checkRedirectUri,
  },
  ...[refreshWechat, checkByWechat].map(
    ({ path }): Flow => ({
      name: `WeChat once more: ${path}`,
      path,
      method: 'GET',
      query: async () => `ticket=${(await user.call(wechatTicket, {}, freshAddress())).data}`,
      check: checkRedirectUri,
    }),
  ),
  {
    name: 'description of all calls',
    path: '/api/openapi.json',
    method: 'GET',
    stranger: true,
    check: (reply) => expect(JSON.parse(reply.body)).toMatchObject({ openapi: expect.any(String) }),
  },
  {
    name: 'config, as its operator reads it',
    path: readConfig.path,
    who: async () => admin,
    check: (reply) => expect(dataOf(reply)).toMatchObject({ clients: [{ id: shop.id }] }),
  },
  {
    name: 'config, saved by its operator',
    path: updateConfig.path,
    who: async () => admin,
    body: async () => ({ config: (await admin.call(readConfig, {}, freshAddress())).data }),
    async check(reply) {
      expect(dataOf(reply)).toEqual({ version: expect.any(Number) })
      const { rows } = await t.deps.pool.query('SELECT count(*)::int AS n FROM site_config WHERE site_id = $1', [
        other.id,
      ])
      expect(rows[0].n).toBe(1)
    },
  },
  {
    name: 'mailed code',
    path: sendEmailCode.path,
    body: () => ({ email: fresh.email(), type: 'authorize' }),
    async check(_reply, body) {
      const [mail] = await messagesTo((body as { email: string }).email)
      expect(mail?.text).toMatch(/\d{6}/)
      expect(mail?.text.match(/https?:\/\/\S+/g)).toEqual([site.origin])
    },
  },
  {
    name: 'mailed notice',
    path: changeUsername.path,
    who: checkedSession,
    body: () => ({ username: fresh.username() }),
    async check() {
      const { rows } = await t.deps.pool.query(
        "DELETE FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1 RETURNING data::text AS data",
        [email],
      )
      expect(rows).toHaveLength(1)
      expect(rows[0].data.match(/https?:\/\/[^\s"\\/]+/g)).toEqual([site.origin])
    },
  },
  {
    name: 'mailed link that stops a recovery',
    path: startRecovery.path,
    body: async () => ({ ticket: await recoveryTicket() }),
    async check() {
      const { rows } = await t.deps.pool.query(
        "DELETE FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1 RETURNING data->>'text' AS text",
        [email],
      )
      expect(rows).toHaveLength(1)
      const [link, ...others] = rows[0].text.match(/https?:\/\/\S+/g)
      expect(link).toMatch(new RegExp(`^${site.origin}/recover/stop/[\\w-]{43}$`))
      expect(others).toEqual([])
    },
  },
]

async function attack(flow: Flow, { headers = [], hosts, target }: Poison): Promise<{ reply: RawReply; body: object }> {
  const { path, method = 'POST', stranger, userAgent = 'attack' } = flow
  const { cookies } = (await flow.who?.()) ?? user
  const body = (await flow.body?.()) ?? {}
  const asked = flow.query ? `${path}?${await flow.query()}` : path
  const lines = [
    `${method} ${target?.(asked) ?? asked} HTTP/1.1`,
    ...(hosts ?? [`Host: ${site.host}`]),
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `User-Agent: ${userAgent}`,
    `X-Forwarded-For: ${freshAddress()}`,
    ...(stranger ? [] : [`Cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`]),
    ...headers,
  ]
  return { reply: await sendRaw(nextUrl(), lines, method === 'GET' ? '' : JSON.stringify(body)), body }
}

const given = ({ status }: RawReply) => status === 200 || status === 302

let tried = 0
let poisoned = 0
const met = new Set<string>()

/** In the short form a third of them; which ones changes from flow to flow. */
const poisonsOf = (flow: number, wrong: string) =>
  poisons(site, wrong).filter(
    ({ visit }, index) => index % few(1, 3) === flow % few(1, 3) && (!visit || wrong === evil),
  )

for (const [index, flow] of flows.entries()) {
  test(`A25 links come from the stored site alone: ${flow.name}`, async () => {
    const counts = { answered: 0, refused: 0, poisoned: 0 }
    for (const wrong of [evil, other.host]) {
      for (const poison of poisonsOf(index, wrong)) {
        const { reply, body } = await attack(flow, poison)
        const context = `${poison.name}: ${reply.head.split('\r\n')[0]} ${reply.body.slice(0, 200)}`
        if (`${reply.head}${reply.body}`.includes(wrong)) counts.poisoned++
        expect(`${reply.head}${reply.body}`, context).not.toContain(wrong)
        // Headers besides the host's own change nothing; a strange host may belong to no site.
        const mayBeRefused = poison.hosts !== undefined || poison.target !== undefined
        counts[given(reply) ? 'answered' : 'refused']++
        if (given(reply)) await flow.check(reply, body)
        else expect([mayBeRefused, reply.status >= 400 && reply.status < 500], context).toEqual([true, true])
      }
    }
    expect(counts.answered).toBeGreaterThan(few(100, 30))
    tried += counts.answered + counts.refused
    poisoned += counts.poisoned
    met.add(flow.path)
  })
}

/** Where an address of the site is put together, and which attack meets it there. */
const makers: Record<string, 'here' | 'notices' | 'A56'> = {
  'shared/notices/mail-notices.ts': 'notices',
  'features/authorize/authorize.service.ts': 'here',
  'features/feedback/feedback-notices.ts': 'notices',
  // The picture among a user's claims.
  'features/oidc/account.ts': 'A56',
  // Where a device sends its user.
  'features/oidc/provider-middleware.ts': 'A56',
  'features/recovery/recovery-notices.ts': 'here',
  'features/scan-login/scan-login.routes.ts': 'here',
  'features/security/login-notices.ts': 'notices',
  // Queued with the stored origin by a call that answers no address: A43 reads the mail.
  'features/users/admin-notices.ts': 'notices',
  'features/users/account-change-notices.ts': 'here',
  'features/verify-code/deliver.ts': 'here',
  'features/wechat/round-trip.ts': 'here',
}

test('A25 every place that builds an address of the site is covered', () => {
  const root = join(import.meta.dirname, '../../apps/server/src')
  const making = globSync('**/*.ts', { cwd: root })
    // What the command line prints answers no request.
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('cli/'))
    .filter((file) =>
      /\$\{site\.origin\}|site\.origin \+|origin: site\.origin/.test(readFileSync(join(root, file), 'utf8')),
    )
  expect(making.sort()).toEqual(Object.keys(makers).sort())
  figure('ways that make links or answer with addresses', met.size, ['>=', 14])
  figure('requests with poisoned hosts', tried, ['>=', few(2_000, 700)])
  figure('answers and messages that name the wrong host', poisoned, ['=', 0])
})
