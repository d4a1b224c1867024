import { answerDevice, deviceGrant, oidcPaths, readDevice } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mostWrongCodes } from '../../apps/server/src/features/oidc/device/device-limits.ts'
import { deviceClients } from '../../apps/server/test/device.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, freshAddress, type Harness, openHarness, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { postForm, userinfo } from '../harness/oidc.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: deviceClients })
})
afterAll(() => t.close())

const newSession = async (): Promise<User> => t.session(site, (await t.user(site)).id)

interface Device {
  device_code: string
  user_code: string
}

const ask = async () =>
  (await postForm(site, oidcPaths.deviceAuthorization, { client_id: 'tv', scope: 'openid' })).json as unknown as Device

const poll = (device_code: string, client_id = 'tv') =>
  postForm(site, oidcPaths.token, { grant_type: deviceGrant, client_id, device_code })

const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const codeOf = (number: number) =>
  Array.from({ length: 8 }, (_, at) => letters[Math.floor(number / 20 ** at) % 20]).join('')

test('A56 guesses of user codes are bounded for a session and a network, however they are sent', async () => {
  const user = await newSession()
  const guesses = few(400, 60)
  const codes = await together(guesses, 40, async (at) => {
    const headers = at % 2 ? {} : { 'x-forwarded-for': freshAddress() }
    const path = at % 3 ? answerDevice.path : readDevice.path
    const { body } = await user.post(path, JSON.stringify({ userCode: codeOf(at), accept: true }), headers)
    return JSON.parse(body).code as string
  })
  const compared = codes.filter((code) => code === 'DEVICE_CODE_WRONG').length
  figure(`of ${guesses} guesses of one session compared`, compared, ['<=', mostWrongCodes.session])
  expect(codes.every((code) => code === 'DEVICE_CODE_WRONG' || code === 'TOO_MANY_REQUESTS')).toBe(true)

  const address = freshAddress()
  const others = await Promise.all(Array.from({ length: 10 }, newSession))
  const met = await together(100, 20, async (at) => {
    const body = JSON.stringify({ userCode: codeOf(at), accept: true })
    return JSON.parse(
      (await (others[at % 10] as User).post(answerDevice.path, body, { 'x-forwarded-for': address })).body,
    ).code as string
  })
  const fromThere = met.filter((code) => code === 'DEVICE_CODE_WRONG').length
  figure('of 100 guesses of ten sessions of one network compared', fromThere, ['<=', mostWrongCodes.address])
})

test('A56 a link to the approval approves nothing, and neither a page of another site nor a form does', async () => {
  const [user, device] = [await newSession(), await ask()]
  const body = JSON.stringify({ userCode: device.user_code, accept: true })
  await user.get(`/device/${device.user_code}`)
  const crossed = [
    await user.post(answerDevice.path, body, { 'sec-fetch-site': 'cross-site' }),
    await user.post(answerDevice.path, body, { 'content-type': 'text/plain' }),
    await user.post(answerDevice.path, body, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }),
  ]
  figure('forged approvals', crossed.filter(({ status }) => status === 200).length, ['=', 0])
  expect((await poll(device.device_code)).json.error).toBe('authorization_pending')
  // The library's own pages, which would take a form with the code.
  for (const path of ['/device', `/device/${device.user_code}`]) {
    const { status } = await user.post(path, `user_code=${device.user_code}&confirm=yes`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([400, 404, 405, 415], path).toContain(status)
  }
})

test('A56 what a device polls with is no use to another client, and a user code none to a poll', async () => {
  const [user, device] = [await newSession(), await ask()]
  expect((await user.call(answerDevice, { userCode: device.user_code, accept: true })).status).toBe(200)
  const stolen = [
    await poll(device.device_code, 'player'),
    await poll(device.user_code),
    await poll(device.user_code.replace('-', '')),
    await poll(''),
    await postForm(site, oidcPaths.token, {
      grant_type: 'authorization_code',
      client_id: 'tv',
      code: device.device_code,
    }),
    await postForm(site, oidcPaths.token, {
      grant_type: 'refresh_token',
      client_id: 'tv',
      refresh_token: device.device_code,
    }),
  ]
  figure('tokens for a stolen or foreign code', stolen.filter(({ status }) => status === 200).length, ['=', 0])
  const own = await poll(device.device_code)
  expect((await userinfo(site, own.json.access_token)).json.sub).toBe(user.id)
})

test('A56 of parallel approvals and polls on two processes one grant comes, each time', async () => {
  const rounds = few(50, 5)
  const given = await together(rounds, 2, async () => {
    const [users, device] = [await Promise.all([newSession(), newSession()]), await ask()]
    const answers = await Promise.all(
      users.flatMap((user) =>
        [true, false].map((accept) => user.call(answerDevice, { userCode: device.user_code, accept })),
      ),
    )
    const polled = await Promise.all(Array.from({ length: 20 }, () => poll(device.device_code)))
    const decisions = answers.filter(({ status }) => status === 200).length
    const tokens = polled.filter(({ status }) => status === 200)
    for (const { json } of tokens) expect((await userinfo(site, json.access_token)).status).toBe(200)
    return decisions === 1 && tokens.length <= 1
  })
  figure('rounds with one decision and at most one sign-in', given.filter(Boolean).length, ['=', rounds])
})

test('A56 a device is sent to the stored address of its site, whatever hosts its request names', async () => {
  const form = { client_id: 'tv', scope: 'openid' }
  const evil = 'evil.example.com'
  const headers = { 'x-forwarded-host': evil, 'x-forwarded-proto': 'http', forwarded: `host=${evil};proto=http` }
  const { json } = await postForm(site, oidcPaths.deviceAuthorization, form, { headers })
  const { verification_uri, verification_uri_complete } = json as unknown as Record<string, string>
  const origins = [verification_uri, verification_uri_complete].map((address) => new URL(address ?? '').origin)
  expect(origins).toEqual([site.origin, site.origin])
})
