import { changePassword } from '@hufu/contract/account'
import { removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import { logout } from '@hufu/contract/login'
import { answerInteraction, confirmLogout, readInteraction, readLogout, revokeAuthorization } from '@hufu/contract/oidc'
import { userInfo } from '@hufu/contract/profile'
import { disownSignIn } from '@hufu/contract/security'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { eraseUser } from '../../apps/server/src/features/personal-data/erase-user.ts'
import { changeStatus } from '../../apps/server/src/features/users/users.service.ts'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Harness, openHarness, type User } from '../harness/harness.ts'
import {
  authorize,
  interactionIn,
  introspect,
  navigate,
  refresh,
  resume,
  type Tokens,
  tokensOf,
  userinfo,
  withClients,
} from '../harness/oidc.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite(withClients())
})
afterAll(() => t.close())

const newSession = async () => await t.session(site, (await t.user(site)).id)
const bye = 'https://shop.example.com/bye'
const isIn = async (user: User) => (await user.call(userInfo)).status === 200

test('A56 a logout is never forced: without a hint of this very session the user is asked', async () => {
  const [user, other] = [await newSession(), await newSession()]
  const again = await t.session(site, user.id)
  const own = await tokensOf(site, user)
  const foreign = await tokensOf(site, other)
  const ofOtherSession = await tokensOf(site, again)
  const ways: Record<string, string> = {
    nothing: '',
    'a client': 'client_id=shop',
    'an address': `client_id=shop&post_logout_redirect_uri=${encodeURIComponent(bye)}`,
    "another user's hint": `id_token_hint=${foreign.id_token}`,
    "another session's hint": `id_token_hint=${ofOtherSession.id_token}`,
    'the hint for another client': `client_id=books&id_token_hint=${own.id_token}`,
    'a hint in logout_hint': `logout_hint=${own.id_token}`,
    confirmed: 'client_id=shop&logout=yes&xsrf=x',
  }
  const out: string[] = []
  for (const [name, search] of Object.entries(ways)) {
    const asPage = { 'sec-fetch-dest': 'document' }
    const asImage = { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors', accept: 'image/*' }
    for (const headers of [asPage, asImage]) {
      const reply = await navigate(user, `/oidc/logout?${search}`, headers)
      if (reply.headers['set-cookie']?.some((line) => /^__Host-hufu=;/.test(line))) out.push(`${name}: cookie`)
      if (!(await isIn(user))) out.push(name)
    }
    const posted = await user.post('/oidc/logout', search, {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
    })
    if (posted.status === 200 || !(await isIn(user))) out.push(`${name}: posted`)
  }
  for (const path of ['/oidc/logout/confirm', '/oidc/logout/success', '/oidc/session/end/confirm'])
    if ((await user.post(path, 'logout=yes', { 'content-type': 'application/x-www-form-urlencoded' })).status < 400)
      out.push(path)
  expect(out).toEqual([])
  figure(`of ${3 * Object.keys(ways).length} forced logouts that signed the user out`, out.length, ['=', 0])
  const { headers } = await navigate(user, '/oidc/logout?client_id=shop')
  const id = headers.location?.split('/').at(-1) ?? ''
  const strangers = [await other.call(readLogout, { id }), await other.call(confirmLogout, { id })]
  expect(strangers.map(({ code }) => code)).toEqual(['AUTHORIZE_EXPIRED', 'AUTHORIZE_EXPIRED'])
  const crossed = await user.post(confirmLogout.path, JSON.stringify({ id }), { 'sec-fetch-site': 'cross-site' })
  expect(crossed.status).toBe(403)
  figure('users signed out by another', [await isIn(user), await isIn(other)].filter((still) => !still).length, [
    '=',
    0,
  ])
  expect((await user.call(confirmLogout, { id })).status).toBe(200)
  expect(await isIn(user)).toBe(false)
})

test('A56 logout and error pages lead nowhere but to the registered address', async () => {
  const odd = [
    'https://evil.example/',
    `${bye}/`,
    `${bye}?x=1`,
    `${bye}#x`,
    '//evil.example',
    'javascript:alert(1)',
    '/\\evil.example',
    `${bye}\r\nx: y`,
  ]
  const user = await newSession()
  const { id_token } = await tokensOf(site, user)
  const led: string[] = []
  for (const address of odd) {
    for (const who of [user, t.browser(site)]) {
      for (const by of ['client_id=shop', `id_token_hint=${id_token}`, 'client_id=books', '']) {
        const reply = await navigate(who, `/oidc/logout?${by}&post_logout_redirect_uri=${encodeURIComponent(address)}`)
        const to = reply.headers.location ?? ''
        if (reply.status !== 303 || !/^\/(authorizeError\/|logout)/.test(to))
          led.push(`${by} ${address}: ${reply.status} ${to}`)
      }
    }
  }
  // `state` and what an error says are put into addresses.
  const texts = [
    'x\r\nset-cookie: a=b',
    '\u0000',
    'a&code=stolen',
    '#code=x',
    '"><script>',
    '\ud83d\ude00',
    'x'.repeat(2_000),
  ]
  for (const state of texts) {
    const { to, status } = await authorize(user, 'shop', { state })
    if (status !== 303 || to.origin !== 'https://shop.example.com' || to.searchParams.get('state') !== state)
      led.push(`state ${JSON.stringify(state)}: ${status} ${to}`)
    if (to.searchParams.getAll('code').length !== 1 || to.hash !== '')
      led.push(`code by ${JSON.stringify(state)}: ${to}`)
    const wrong = await authorize(user, state)
    if (wrong.to.hostname !== 'none.invalid') led.push(`client ${JSON.stringify(state)}: ${wrong.to}`)
    const reply = await navigate(
      t.browser(site),
      `/oidc/logout?client_id=shop&post_logout_redirect_uri=${encodeURIComponent(bye)}&state=${encodeURIComponent(state)}`,
    )
    if (!reply.headers.location?.startsWith(bye) || reply.headers['set-cookie']?.some((line) => line.startsWith('a=')))
      led.push(`logout state ${JSON.stringify(state)}: ${reply.status} ${reply.headers.location}`)
  }
  expect(led).toEqual([])
  figure(`of ${8 * odd.length + 3 * texts.length} odd addresses and states that lead elsewhere`, led.length, ['=', 0])
  expect(await isIn(user)).toBe(true)
})

test('A56 a sign-in in progress belongs to the browser that began it, both ways', async () => {
  const [victim, thief] = [await newSession(), await newSession()]
  // The thief's request in the victim's browser: the victim's account must not reach what the thief began.
  const planted = await authorize(thief, 'books')
  const shown = await victim.call(readInteraction, { id: interactionIn(planted.to) })
  const answered = await victim.call(answerInteraction, { id: interactionIn(planted.to), accept: true })
  const resumed = await resume(victim, planted.to)
  // The victim's request in the thief's browser.
  const taken = await authorize(victim, 'books')
  const answeredByThief = await thief.call(answerInteraction, { id: interactionIn(taken.to), accept: true })
  const resumedByThief = await resume(thief, taken.to)
  expect([shown.code, answered.code, answeredByThief.code]).toEqual(Array(3).fill('AUTHORIZE_EXPIRED'))
  const through = [resumed, resumedByThief].filter((to) => to.searchParams.has('code'))
  figure('codes by a request of another browser', through.length, ['=', 0])
  // Begun before a sign-in, resumed by a planted link with the cookie of its request: the session decides, not the request.
  const visitor = t.browser(site)
  const waiting = await authorize(visitor)
  const other = await newSession()
  expect((await resume(other, waiting.to)).searchParams.has('code')).toBe(false)
})

type End = (user: User, other: User) => Promise<{ status: number } | undefined>

const steppedUp = (user: User) =>
  t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(user)])

/** Ends of a session or an account; `other` is a second session of the same user. */
const ends: Record<string, End> = {
  'signing out': (user) => user.call(logout),
  'removing the device': async (user, other) => {
    await steppedUp(other)
    return await other.call(removeDevice, { id: sessionOf(user) })
  },
  'removing all others': async (_user, other) => {
    await steppedUp(other)
    return await other.call(removeOtherDevices)
  },
  'a new password': async (_user, other) => {
    await steppedUp(other)
    return await other.call(changePassword, { password: 'Neu#2026pass' })
  },
  不是我: async (user, other) => {
    await steppedUp(other)
    return await other.call(disownSignIn, { id: sessionOf(user) })
  },
  'being disabled': async (user) => {
    await changeStatus(t.deps, site.id, user.id, 'disabled', 'attack')
    return undefined
  },
  'revoking the client': (user) => user.call(revokeAuthorization, { client: 'shop' }),
}

/** What the tokens open at one process. */
async function openAt(url: string, { access_token, refresh_token }: Tokens): Promise<string[]> {
  const [info, seen, renewed] = [
    await userinfo(site, access_token, [url]),
    await introspect(site, access_token, { urls: [url] }),
    await refresh(site, refresh_token, {}, { urls: [url] }),
  ]
  const open = {
    userinfo: info.status === 200,
    introspection: seen.json.active === true,
    refresh: renewed.status === 200,
  }
  return Object.entries(open).flatMap(([name, is]) => (is ? [name] : []))
}

test.each(Object.entries(ends))('A56 %s ends the tokens at every process within a second', async (name, end) => {
  const user = await newSession()
  const other = await t.session(site, user.id)
  const [first = '', second = ''] = inject('apiUrls')
  const tokens = await tokensOf(site, user)
  const left: string[] = []
  expect((await userinfo(site, tokens.access_token, [second])).status).toBe(200)
  const ending = await end({ ...user }, other)
  expect(ending?.status ?? 200, JSON.stringify(ending)).toBe(200)
  const from = performance.now()
  for (const url of [second, first]) left.push(...(await openAt(url, tokens)))
  const ms = performance.now() - from
  expect(left).toEqual([])
  figure(`${name}: what tokens still open`, left.length, ['=', 0])
  figure(`${name}: refused everywhere after`, ms, ['<=', 1_000 * leeway], 'ms')
})

test('A56 with offline_access tokens outlive a sign-out, and nothing else', async () => {
  const open: Record<string, number> = {}
  for (const [name, end] of Object.entries(ends)) {
    const user = await newSession()
    const other = await t.session(site, user.id)
    const tokens = await tokensOf(site, user, 'shop', 'openid profile offline_access')
    expect((await end(user, other))?.status ?? 200, name).toBe(200)
    open[name] = (await openAt(inject('apiUrls')[1] ?? '', tokens)).length
  }
  const { 'signing out': signedOut, ...others } = open
  expect(signedOut).toBe(3)
  expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, 0])))
  figure('ends that offline tokens outlive besides a sign-out', Object.values(others).filter(Boolean).length, ['=', 0])
})

test('A56 the tokens of a user who is due to be erased, or erased, open nothing', async () => {
  const user = await newSession()
  const tokens = await tokensOf(site, user, 'shop', 'openid profile offline_access')
  const [first = '', second = ''] = inject('apiUrls')
  await t.deps.pool.query('INSERT INTO deletion (site_id, user_id, due_at) VALUES ($1, $2, now())', [site.id, user.id])
  const left = await openAt(second, tokens)
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, user.id))
  left.push(...(await openAt(first, tokens)))
  expect(left).toEqual([])
  figure('what tokens of an erased user open', left.length, ['=', 0])
})
