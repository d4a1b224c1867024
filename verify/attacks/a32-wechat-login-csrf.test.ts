import { userInfo } from '@hufu/contract/profile'
import { wechatCallback, wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat, returnFromWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { allNavigations } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ wechat: { ...(await newWechat()) } })
})
afterAll(() => t.close())

const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const leadsTo = async (browser: Browser, address: string, headers: Record<string, string | undefined> = {}) => {
  const { pathname, search } = new URL(address, site.origin)
  const reply = await browser.get(pathname + search, { ...navigation, ...headers })
  expect(reply.status).toBe(302)
  return String(reply.headers.location)
}

const ticketOf = async (user: Browser) => String((await user.call(wechatTicket)).data)
/** What a user does with WeChat, what begins on our own pages alone, and what comes back from there. */
const personal = allNavigations.filter(({ path }) => path.startsWith('/api/user/'))
const fromHere = allNavigations.filter((navigation) => navigation.fromHere)

const newUser = async () => await t.session(site, (await t.user(site)).id)
const boundTo = async (user: User) => (await user.call(userInfo)).data?.wechatOpenId

/** Where WeChat would send the browser that set out from here, as that user of WeChat. */
async function setOut(user: User, wechatUser: string, action = 'binding') {
  const away = await leadsTo(user, `/api/user/wechat/${action}?ticket=${await ticketOf(user)}`)
  expect(away).toContain('/connect/oauth2/authorize')
  return (await returnFromWechat(away, wechatUser)).href
}

/** How a browser may be made to open an address by others. */
const elsewhere: Record<string, string | undefined>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
  { 'sec-fetch-site': undefined },
  { 'sec-fetch-site': undefined, referer: 'https://evil.example/' },
  { 'sec-fetch-site': undefined, referer: 'not an address' },
]

test('A32 every navigation is covered', () => {
  const met = [...personal, ...fromHere, wechatCallback].map(({ path }) => path)
  expect(met.sort()).toEqual(allNavigations.map(({ path }) => path).sort())
})

test('A32 a state binds only the user and browser that it was created for', async () => {
  const rounds = few(40, 3)
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const [attacker, victim] = await Promise.all([newUser(), newUser()])
    const stolen = await setOut(attacker, 'chen')
    // The victim's browser is made to open the attacker's way back: the attacker's WeChat would open the victim's account.
    expect(await leadsTo(victim, stolen, { 'sec-fetch-site': 'cross-site' })).toBe('/login?wechat=WECHAT_EXPIRED')
    // A browser mark of the attacker's, slipped into the victim's browser, doesn't help: the session is another.
    const planted = t.browser(site)
    for (const [name, value] of victim.cookies) planted.cookies.set(name, value)
    planted.cookies.set('__Host-hufu-browser', attacker.cookies.get('__Host-hufu-browser') ?? '')
    const again = await setOut(attacker, 'chen')
    expect(await leadsTo(planted, again)).toBe('/user?wechat=WECHAT_EXPIRED')
    expect(await leadsTo(victim, `/api/wechat/callback?code=x&state=${'0'.repeat(32)}`)).toContain('WECHAT_EXPIRED')
    expect([await boundTo(victim), await boundTo(attacker)]).toEqual([null, null])
    refused += 3
  }
  figure('redirects back in the wrong browser or session', refused, ['>=', few(120, 9)])
})

test('A32 a state counts once, however many come back with it', async () => {
  const rounds = few(20, 2)
  let bindings = 0
  for (let round = 0; round < rounds; round++) {
    const site = await t.codeSite({ wechat: { ...(await newWechat()) } })
    const user = await t.session(site, (await t.user(site)).id)
    const { data: ticket } = await user.call(wechatTicket)
    const away = String((await user.get(`/api/user/wechat/binding?ticket=${ticket}`)).headers.location)
    const { pathname, search } = await returnFromWechat(away, 'lin')
    const replies = await together(20, 20, () => user.get(pathname + search))
    const ends = replies.map(({ headers }) => headers.location)
    expect(ends.filter((end) => end === '/user')).toHaveLength(1)
    const bound = "SELECT FROM security_log WHERE user_id = $1 AND event = 'wechat.bind'"
    bindings += (await t.deps.pool.query(bound, [user.id])).rowCount ?? 0
  }
  figure('bindings by one state used 20 times at once', bindings / rounds, ['=', 1])
})

test('A32 without a fresh ticket of this session nothing changes, wherever the navigation comes from', async () => {
  const user = await newUser()
  const other = await newUser()
  await leadsTo(user, await setOut(user, 'lin'))
  const openid = await boundTo(user)
  expect(openid).toMatch(/^o/)
  let tried = 0
  for (const { path } of personal) {
    const used = await ticketOf(user)
    await leadsTo(user, `/api/user/wechat/info?ticket=${used}`)
    for (const ticket of ['', 'x', used, await ticketOf(other)]) {
      for (const headers of [{}, ...elsewhere]) {
        expect(await leadsTo(user, `${path}?ticket=${ticket}`, headers)).toBe('/user')
        tried++
      }
    }
  }
  expect(await boundTo(user)).toBe(openid)
  figure('navigations with a missing, used or foreign ticket', tried, ['>=', 128])
  figure('bindings changed by them', (await boundTo(user)) === openid ? 0 : 1, ['=', 0])
})

test('A32 signing in through WeChat is never started by another site', async () => {
  let begun = 0
  for (const { path, home } of fromHere) {
    for (const headers of elsewhere) {
      for (const query of ['', '?tap=1', '?tap=1&source=%2Fuser'])
        if ((await leadsTo(t.browser(site), path + query, headers)) !== home) begun++
    }
  }
  figure('sign-ins begun on the word of another site', begun, ['=', 0])
  // An old browser that says nothing of itself, on one of our own pages.
  const old = { 'sec-fetch-site': undefined, referer: `${site.origin}/` }
  expect(await leadsTo(t.browser(site), '/api/login/wechat?tap=1', old)).toContain('/connect/oauth2/authorize')
})
