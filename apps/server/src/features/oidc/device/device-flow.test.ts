import { deviceGrant, listAuthorizations, readDevice } from '@hufu/contract/oidc'
import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member } from '../../../../test/account-user.ts'
import { approve, ask, deviceClients, deviceTokens, poll, post, reject, waiting } from '../../../../test/device.ts'
import { enrol } from '../../../../test/enrolled.ts'
import { fetchFrom, oidcClients } from '../../../../test/oidc.ts'
import {
  createDatabase,
  startTestApp,
  type TestApp,
  type TestSite,
  testKeys,
  times,
} from '../../../../test/test-app.ts'
import { readConfig, saveConfig } from '../../site/site.service.ts'

const wrong = (error: string) => ({ status: 400, json: { error } })

let t: TestApp
/** Another process on the same stores. */
let other: TestApp
let site: TestSite
let user: Member
beforeAll(async () => {
  const variables = { HUFU_DATABASE_URL: await createDatabase(), HUFU_KEYS: testKeys() }
  t = await startTestApp(variables)
  site = await t.codeSite({ clients: [...oidcClients, ...deviceClients] })
  other = await startTestApp(variables)
  user = await member(t, site)
})
afterAll(async () => {
  await other.close()
  await t.close()
})

test('D302 a device asks, the user approves its code, and the device signs in, over two processes', async () => {
  const device = await waiting(t, site)
  expect(device).toMatchObject({
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${site.origin}/device`,
    verification_uri_complete: `${site.origin}/device/${device.user_code}`,
    expires_in: 600,
    interval: 5,
  })
  expect(await poll(other, site, device)).toMatchObject(wrong('authorization_pending'))
  expect((await approve(user, device)).status).toBe(200)
  const { status, json } = await poll(other, site, device)
  expect(status).toBe(200)
  expect(json).toMatchObject({ token_type: 'Bearer', scope: 'openid profile', refresh_token: expect.any(String) })
  expect(decodeJwt(json.id_token)).toMatchObject({
    iss: site.origin,
    aud: 'tv',
    sub: user.id,
    acr: '1',
    amr: ['pwd'],
    auth_time: expect.any(Number),
    sid: expect.any(String),
  })
})

test('D302 a library finds the endpoint in the metadata and polls by itself', async () => {
  const tv = await openid.discovery(new URL(site.origin), 'tv', undefined, openid.None(), {
    [openid.customFetch]: fetchFrom(t) as never,
  })
  expect(tv.serverMetadata().device_authorization_endpoint).toBe(`${site.origin}/oidc/device`)
  expect(tv.serverMetadata().grant_types_supported).toContain(deviceGrant)
  const device = await openid.initiateDeviceAuthorization(tv, { scope: 'openid profile' })
  await approve(user, { client: 'tv', interval: 5, verification_uri_complete: '', ...device })
  const tokens = await openid.pollDeviceAuthorizationGrant(tv, { ...device, interval: 0.01 })
  expect(tokens.claims()?.sub).toBe(user.id)
  expect(await openid.fetchUserInfo(tv, tokens.access_token, user.id)).toMatchObject({ sub: user.id })
})

test('D302 the page reads a typed code in either case, and says which device it is', async () => {
  const agent = 'Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 SamsungBrowser/5.0 TV Safari/537.36'
  const device = await waiting(t, site, 'tv', {}, { userAgent: agent, address: '203.0.113.9' })
  for (const userCode of [device.user_code, device.user_code.toLowerCase().replace('-', ' ')])
    expect((await user.call(readDevice, { userCode })).data).toMatchObject({
      client: { id: 'tv', name: '客厅影院' },
      userCode: device.user_code,
      os: 'Tizen 7',
      ip: '203.0.113.9',
      network: null,
      needsProtection: false,
      scopes: [],
    })
  const near = await waiting(t, site, 'tv', {}, { address: '127.0.0.1' })
  expect((await user.call(readDevice, { userCode: near.user_code })).data?.network).toBe('same')
  // Its server asked: where that is says nothing about the device.
  const served = await waiting(t, site, 'box')
  const { data } = await user.call(readDevice, { userCode: served.user_code })
  expect([data?.ip, data?.region, data?.network]).toEqual([null, null, null])
  // Reading decides nothing.
  expect(await poll(t, site, device)).toMatchObject(wrong('authorization_pending'))
})

test('D303 a device that polls too fast is slowed down; a decision reaches it at once', async () => {
  const device = await waiting(t, site)
  expect(await poll(t, site, device)).toMatchObject(wrong('authorization_pending'))
  expect(await poll(other, site, device)).toMatchObject(wrong('slow_down'))
  await reject(user, device)
  expect(await poll(t, site, device)).toMatchObject(wrong('access_denied'))
})

test('D303 what has expired is told so, approved or not; what never was is refused', async () => {
  const [idle, approved] = [await waiting(t, site), await waiting(t, site)]
  await approve(user, approved)
  const past = "UPDATE oidc_item SET expires_at = clock_timestamp() WHERE kind = ANY('{DeviceCode,UserCode}')"
  await t.deps.pool.query(past)
  for (const device of [idle, approved]) {
    expect(await poll(t, site, device)).toMatchObject(wrong('expired_token'))
    expect((await approve(user, device)).code).toBe('DEVICE_CODE_WRONG')
  }
  expect(await poll(t, site, { ...idle, device_code: 'made-up' })).toMatchObject(wrong('invalid_grant'))
})

test('D303 a code is for its client and its site', async () => {
  const elsewhere = await t.codeSite({ clients: deviceClients })
  const device = await waiting(t, site)
  await approve(user, device)
  expect(await poll(t, site, { ...device, client: 'player' })).toMatchObject(wrong('invalid_grant'))
  expect(await poll(t, elsewhere, device)).toMatchObject(wrong('invalid_grant'))
  expect((await poll(t, site, device)).status).toBe(200)
  const there = await member(t, elsewhere)
  const next = await waiting(t, site)
  expect((await approve(there, next)).code).toBe('DEVICE_CODE_WRONG')
})

test('D303 clients that were not registered for it may not use it, nor a removed one', async () => {
  for (const client of ['app', 'page'])
    expect((await ask(t, site, client)).json).toMatchObject({
      error: expect.stringMatching(/^(unauthorized_client|invalid_request)$/),
    })
  const own = await t.codeSite({ clients: deviceClients })
  const [there, device] = [await member(t, own), await waiting(t, own)]
  const { version, config } = await readConfig(t.deps, own.id)
  const clients = deviceClients.filter(({ id }) => id !== 'tv').map((each) => ({ ...each, secret: undefined }))
  await saveConfig(t.deps, own.id, { config: { ...config, clients }, basedOn: version }, 'test')
  await t.deps.sites.refresh()
  expect((await approve(there, device)).code).toBe('DEVICE_CODE_WRONG')
  expect((await poll(t, own, device)).status).toBe(401)
})

test('D303 what asks about a browser is refused, and what is no sign-in', async () => {
  for (const params of [{ max_age: '60' }, { id_token_hint: 'x.y.z' }, { scope: '' }, { scope: 'profile' }])
    expect(await ask(t, site, 'tv', params as Record<string, string>)).toMatchObject({ status: 400 })
})

test('D304 of twenty polls at the same moment one gets the tokens, and they stay good', async () => {
  const device = await waiting(t, site)
  await approve(user, device)
  const replies = await Promise.all(times(20, (at) => poll(at % 2 ? t : other, site, device)))
  const [won, ...more] = replies.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  expect(replies.filter(({ json }) => json.error === 'invalid_grant')).toHaveLength(19)
  const form = { grant_type: 'refresh_token', client_id: 'tv', refresh_token: won?.json.refresh_token }
  expect((await post(t, site, '/oidc/token', form)).status).toBe(200)
})

test('D304 a code that is used again later ends what it gave', async () => {
  const device = await waiting(t, site)
  await approve(user, device)
  const { json } = await poll(t, site, device)
  await t.deps.pool.query(
    "UPDATE oidc_item SET consumed_at = consumed_at - interval '4 seconds' WHERE kind = 'DeviceCode' AND consumed_at IS NOT NULL",
  )
  expect(await poll(t, site, device)).toMatchObject(wrong('invalid_grant'))
  const form = { grant_type: 'refresh_token', client_id: 'tv', refresh_token: json.refresh_token }
  expect(await post(t, site, '/oidc/token', form)).toMatchObject(wrong('invalid_grant'))
})

test('D304 of many decisions at the same moment one counts', async () => {
  const [someone, device] = [await member(t, site), await waiting(t, site)]
  const answers = await Promise.all(
    times(10, (at) => (at % 2 ? reject(user, device) : approve(at % 4 ? someone : user, device))),
  )
  expect(answers.every(({ status, code }) => status === 200 || code === 'LOGIN_REQUEST_DONE')).toBe(true)
  const { rows } = await t.deps.pool.query(
    `SELECT event, user_id FROM security_log WHERE user_id = ANY($1) AND event LIKE 'device.%'
      AND at > (SELECT max(expires_at) - interval '600 seconds' FROM oidc_item WHERE kind = 'UserCode')`,
    [[user.id, someone.id]],
  )
  expect(rows).toHaveLength(1)
  const { status, json } = await poll(t, site, device)
  if (rows[0].event === 'device.rejected') expect(json.error).toBe('access_denied')
  else expect([status, decodeJwt(json.id_token).sub]).toEqual([200, rows[0].user_id])
})

test('D304 the same answer again is answered alike; another answer or user comes too late', async () => {
  const [someone, device] = [await member(t, site), await waiting(t, site)]
  await approve(user, device)
  expect((await approve(user, device)).status).toBe(200)
  for (const late of [
    reject(user, device),
    approve(someone, device),
    user.call(readDevice, { userCode: device.user_code }),
  ])
    expect((await late).code).toBe('LOGIN_REQUEST_DONE')
})

test('D307 a protected account approves with a factor alone, as for a sign-in by scan', async () => {
  const own = await member(t, site)
  const early = await waiting(t, site)
  expect((await approve(own, early)).status).toBe(200)
  const device = await waiting(t, site)
  await t.deps.pool.query('UPDATE session SET factor_at = NULL WHERE user_id = $1', [own.id])
  await enrol(t.deps, site.id, own.id)
  await t.deps.pool.query('UPDATE session SET factor_at = NULL WHERE user_id = $1', [own.id])
  // Approved before the account was protected.
  expect(await poll(t, site, early)).toMatchObject(wrong('invalid_grant'))
  expect(await approve(own, device)).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { factor: true } })
  expect((await reject(own, device)).status).toBe(200)
})

const demandsFactor = { claims: JSON.stringify({ id_token: { acr: { essential: true, value: '2' } } }) }

test('D307 a client that demands a second factor gets it, or nothing', async () => {
  const own = await member(t, site)
  const device = await waiting(t, site, 'tv', demandsFactor)
  expect((await own.call(readDevice, { userCode: device.user_code })).data?.needsProtection).toBe(true)
  expect((await approve(own, device)).code).toBe('FACTOR_NONE')
  expect(await poll(t, site, device)).toMatchObject(wrong('authorization_pending'))
  await enrol(t.deps, site.id, own.id)
  expect((await approve(own, device)).status).toBe(200)
  expect(decodeJwt((await poll(t, site, device)).json.id_token)).toMatchObject({ acr: '2', amr: ['pwd', 'mfa'] })
})

test('D311 the security log has each answer, and 授权管理 the client', async () => {
  const own = await member(t, site)
  await deviceTokens(t, site, own)
  await reject(own, await waiting(t, site))
  const { rows } = await t.deps.pool.query(
    "SELECT event, detail FROM security_log WHERE user_id = $1 AND event LIKE 'device.%' ORDER BY at",
    [own.id],
  )
  const detail = expect.objectContaining({ client: '客厅影院', ip: '203.0.113.7' })
  expect(rows).toEqual([
    { event: 'device.approved', detail },
    { event: 'device.rejected', detail },
  ])
  expect((await own.call(listAuthorizations)).data?.data.map(({ client }) => client.name)).toEqual(['客厅影院'])
})
