import { changePassword } from '@hufu/contract/account'
import { removeDevice } from '@hufu/contract/devices'
import { logout } from '@hufu/contract/login'
import { answerDevice, readDevice, revokeAuthorization } from '@hufu/contract/oidc'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, signInAgain } from '../../../../test/account-user.ts'
import { approve, deviceClients, deviceTokens, poll, post, refresh, waiting } from '../../../../test/device.ts'
import { oidcClients } from '../../../../test/oidc.ts'
import { takeLogouts } from '../../../../test/oidc-rows.ts'
import { checked, second } from '../../../../test/operator.ts'
import { sessionOf, startTestApp, type TestApp, type TestSite, times } from '../../../../test/test-app.ts'
import { mostWrongCodes } from './device-limits.ts'

let t: TestApp
let site: TestSite
let user: Member
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ clients: [...oidcClients, ...deviceClients] })
})
afterAll(() => t.close())

const userinfo = async (token: string) =>
  (await t.app.inject({ url: '/oidc/userinfo', headers: { host: site.host, authorization: `Bearer ${token}` } }))
    .statusCode

/** What is left of a device's tokens: whether the access token and the refresh token still work. */
async function worksOf(
  { access_token, refresh_token }: { access_token: string; refresh_token: string },
  client = 'tv',
) {
  return [await userinfo(access_token), (await refresh(t, site, refresh_token, client)).status]
}
const good = [200, 200]
const ended = [401, 400]

test('D305 a device is signed out with the session that approved it, and outlives it by offline access alone', async () => {
  const own = await member(t, site)
  const [online, offline] = [
    await deviceTokens(t, site, own),
    await deviceTokens(t, site, own, 'openid offline_access'),
  ]
  expect(offline.scope).toBe('openid offline_access')
  await own.call(logout)
  expect(await worksOf(online)).toEqual(ended)
  expect(await worksOf(offline)).toEqual(good)
  expect(await takeLogouts(t, own.id)).toEqual([online, offline].map(({ id_token }) => decodeJwt(id_token).sid).sort())
})

test('D305 a session that expires by itself takes its devices along, but not those with offline access', async () => {
  const own = await member(t, site)
  const [online, offline] = [
    await deviceTokens(t, site, own),
    await deviceTokens(t, site, own, 'openid offline_access'),
  ]
  await t.deps.pool.query("UPDATE session SET created_at = created_at - interval '400 days' WHERE id = $1", [
    sessionOf(own),
  ])
  expect(await worksOf(online)).toEqual(ended)
  expect(await worksOf(offline)).toEqual(good)
})

test('D305 a removed device and a changed password end every device of that session', async () => {
  const own = await member(t, site)
  const phone = await signInAgain(t, site, own)
  const removed = await deviceTokens(t, site, phone, 'openid offline_access')
  const kept = await deviceTokens(t, site, own, 'openid offline_access')
  await own.call(removeDevice, { id: sessionOf(phone) })
  expect(await worksOf(removed)).toEqual(ended)
  const another = await deviceTokens(t, site, await signInAgain(t, site, own))
  await checked(t, own)
  await second(t, own)
  expect((await own.call(changePassword, { password: 'Qy#2026winter' })).status).toBe(200)
  expect(await worksOf(another)).toEqual(ended)
  expect(await userinfo(kept.access_token)).toBe(200)
})

test.each(['openid', 'openid offline_access'])(
  'D305 an approval whose session ends before the device comes is worth nothing: %s',
  async (scope) => {
    const own = await member(t, site)
    const device = await waiting(t, site, 'tv', { scope })
    await approve(own, device)
    await own.call(logout)
    expect(await poll(t, site, device)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  },
)

test('D306 a third-party client is given what the user leaves ticked, under an id of its own, and asks each time', async () => {
  const own = await member(t, site)
  const scope = 'openid profile phone'
  for (const scopes of [['profile'], ['profile', 'phone']] as ('profile' | 'phone')[][]) {
    const device = await waiting(t, site, 'player', { scope })
    const { data } = await own.call(readDevice, { userCode: device.user_code })
    expect(data?.scopes).toEqual([
      { name: 'profile', reason: '用于显示您的昵称', required: true },
      { name: 'phone', reason: null, required: false },
    ])
    const answer = { userCode: device.user_code, accept: true }
    expect((await own.call(answerDevice, { ...answer, scopes: ['phone'] })).code).toBe('INPUT_INVALID')
    expect((await own.call(answerDevice, { ...answer, scopes })).status).toBe(200)
    const { json } = await poll(t, site, device)
    expect(json.scope).toBe(['openid', ...scopes].join(' '))
    expect(decodeJwt(json.id_token).sub).toMatch(/^[\w-]{43}$/)
    const info = await t.app.inject({
      url: '/oidc/userinfo',
      headers: { host: site.host, authorization: `Bearer ${json.access_token}` },
    })
    expect('phone_number' in info.json()).toBe(scopes.includes('phone'))
  }
  const { rows } = await t.deps.pool.query('SELECT scopes, declined FROM oidc_consent WHERE user_id = $1', [own.id])
  expect(rows).toEqual([{ scopes: ['phone', 'profile'], declined: [] }])
})

test('D310 each device has a grant of its own: one signs out and the other stays', async () => {
  const own = await member(t, site)
  const [first, next] = [await deviceTokens(t, site, own), await deviceTokens(t, site, own)]
  expect((await post(t, site, '/oidc/revoke', { client_id: 'tv', token: first.refresh_token })).status).toBe(200)
  expect(await worksOf(first)).toEqual(ended)
  expect(await worksOf(next)).toEqual(good)
  const { rows } = await t.deps.pool.query('SELECT sid FROM oidc_device_login WHERE user_id = $1', [own.id])
  expect(rows).toEqual([{ sid: decodeJwt(next.id_token).sid }])
})

test('D310 解除授权 ends all devices of the client, offline ones too', async () => {
  const own = await member(t, site)
  const [first, next] = [await deviceTokens(t, site, own), await deviceTokens(t, site, own, 'openid offline_access')]
  const other = await deviceTokens(t, site, own, 'openid profile', 'player')
  expect((await own.call(revokeAuthorization, { client: 'tv' })).status).toBe(200)
  expect([await worksOf(first), await worksOf(next)]).toEqual([ended, ended])
  expect(await userinfo(other.access_token)).toBe(200)
})

const guess = (browser: Pick<Member, 'call'>) => browser.call(answerDevice, { userCode: 'BBBB-BBBB', accept: true })

test('D308 wrong codes are counted by session, also in parallel; right ones are not', async () => {
  user = await member(t, site)
  const replies = await Promise.all(times(20, () => guess(user)))
  expect(replies.filter(({ code }) => code === 'DEVICE_CODE_WRONG')).toHaveLength(mostWrongCodes.session)
  const refused = replies.filter(({ code }) => code === 'TOO_MANY_REQUESTS')
  expect(refused).toHaveLength(20 - mostWrongCodes.session)
  expect(refused[0]?.details.retryAfter).toBeGreaterThan(0)
  const device = await waiting(t, site)
  expect((await approve(user, device)).code).toBe('TOO_MANY_REQUESTS')
  const other = await member(t, site)
  for (const _ of times(mostWrongCodes.session + 2, String))
    expect((await other.call(readDevice, { userCode: device.user_code })).status).toBe(200)
})

test('D308 wrong codes are counted by address over all sessions, and by site over all addresses', async () => {
  const own = await t.codeSite({ clients: deviceClients })
  const count = (of: string) => t.deps.redis.set(`{device-tries:${own.id}}:${of}`, '100000', 'EX', 60)
  const [near, device] = [await member(t, own), await waiting(t, own)]
  await count('address:127.0.0.1')
  expect((await approve(near, device)).code).toBe('TOO_MANY_REQUESTS')
  const far = await t.signIn(own, { address: '198.51.100.4' })
  expect((await far.call(readDevice, { userCode: device.user_code })).status).toBe(200)
  await count('site')
  expect((await approve(far, device)).code).toBe('TOO_MANY_REQUESTS')
})
