import { oidcPaths, oidcRoutes } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, freshAddress, type Harness, nextUrl, openHarness } from '../harness/harness.ts'
import { type Reply, send, tally, together } from '../harness/http.ts'
import { newRequest, paramsOf, proofOf, query, tokensOf, userinfo, withClients } from '../harness/oidc.ts'
import { headerOf, sendRaw } from './raw.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite(withClients())
})
afterAll(() => t.close())

const rows = async (kind: string): Promise<number> => {
  const text = 'SELECT count(*)::int AS n FROM oidc_item WHERE site_id = $1 AND kind = $2'
  return (await t.deps.pool.query(text, [site.id, kind])).rows[0].n
}

test('A56 an address that begins a thousand sign-ins gets no further than the limit, and leaves no more rows', async () => {
  const browser = t.browser(site)
  const before = await rows('Interaction')
  const limit = 600
  const path = () => `${oidcPaths.authorize}?${query(paramsOf(newRequest()))}`
  const answers = await together(1_000, 20, () => browser.get(path(), { 'sec-fetch-site': 'cross-site' }))
  const outcomes = tally(answers.map(({ status, headers }) => `${status} ${headers.location?.split(/[/?]/)[1]}`))
  console.log(`A56 a thousand sign-ins: ${JSON.stringify(outcomes)}`)
  const refused = answers.filter(({ headers }) =>
    headers.location?.startsWith('/authorizeError/temporarily_unavailable'),
  )
  figure('of 1,000 sign-ins begun by one address refused', refused.length, ['=', 1_000 - limit])
  expect(refused.every(({ headers }) => Number(headers['retry-after']) <= 60)).toBe(true)
  figure('rows that they left', (await rows('Interaction')) - before, ['<=', limit])
})

const form = 'application/x-www-form-urlencoded'

test('A56 bodies and headers of any size and type are refused without a failure, and change nothing', async () => {
  const headersOf = (own: Record<string, string> = {}) => ({
    host: site.host,
    'content-type': form,
    'x-forwarded-for': freshAddress(),
    ...own,
  })
  const bodies: [name: string, body: string | Buffer, type: string][] = [
    ['56 KB', `grant_type=refresh_token&refresh_token=${'x'.repeat(60_000)}`, form],
    ['1 MB', `grant_type=refresh_token&refresh_token=${'x'.repeat(1_000_000)}`, form],
    ['10,000 fields', `${times(10_000, () => 'a=b').join('&')}`, form],
    ['a field twice', 'grant_type=authorization_code&grant_type=refresh_token&code=x', form],
    ['NUL', 'grant_type=authorization_code&code=%00&code_verifier=%00', form],
    ['broken escapes', 'grant_type=%zz&code=%', form],
    ['brackets', 'grant_type[]=authorization_code&code[a]=x&__proto__[a]=b', form],
    ['JSON', '{"grant_type":"client_credentials"}', 'application/json'],
    ['plain text', 'grant_type=client_credentials', 'text/plain'],
    [
      'multipart',
      '--x\r\ncontent-disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
    ['no type', 'grant_type=client_credentials', ''],
    ['another charset', 'grant_type=client_credentials', `${form}; charset=utf-7`],
    ['compressed', Buffer.from([0x1f, 0x8b, 8, 0]), form],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]), form],
    ['nothing', '', form],
  ]
  const failed: string[] = []
  let calls = 0
  const note = (name: string, { status, body }: Pick<Reply, 'status' | 'body'>) => {
    calls++
    if (status >= 500 || status === 200 || /\bat .*:\d+:\d+|node_modules/.test(body))
      failed.push(`${name}: ${status} ${body.slice(0, 100)}`)
  }
  const posted = oidcRoutes.filter(({ methods }) => (methods as readonly string[]).includes('POST'))
  for (const { path } of posted) {
    for (const [name, body, type] of bodies) {
      const encoding: Record<string, string> = name === 'compressed' ? { 'content-encoding': 'gzip' } : {}
      for (const proof of [{}, proofOf('shop')])
        note(
          `${path} ${name}`,
          await send(nextUrl(), { path, body, headers: headersOf({ 'content-type': type, ...encoding, ...proof }) }),
        )
    }
  }
  const authorizations = [
    'Basic',
    'Basic !!!',
    `Basic ${'A'.repeat(20_000)}`,
    'Basic Og==',
    'Bearer',
    'Bearer \u00ff',
    `Bearer ${'x'.repeat(20_000)}`,
    'DPoP x',
    'Basic c2hvcDolMDA=',
    'Basic JTAwOnNlY3JldA==',
  ]
  for (const { path } of oidcRoutes.filter(({ path: each }) => /token|userinfo|introspect|revoke/.test(each)))
    for (const authorization of authorizations) {
      const reply = await send(nextUrl(), { path, body: 'token=x', headers: headersOf({ authorization }) }).catch(
        () => undefined,
      )
      if (reply) note(`${path} ${authorization.slice(0, 20)}`, reply)
    }
  expect(failed).toEqual([])
  figure(`of ${calls} odd bodies and headers that failed or were taken`, failed.length, ['=', 0])
})

test('A56 odd parameters at every page and navigation make no failure and set no header', async () => {
  const user = await t.session(site, (await t.user(site, { password: undefined })).id)
  const odd = [
    '\u0000',
    '\r\nset-cookie: planted=1',
    '[]',
    '{"a":',
    '{"__proto__":{"x":1}}',
    'x'.repeat(7_000),
    '-1',
    '1e99',
    '%',
    '\ud83d\ude00',
    "' OR 1=1 --",
  ]
  const names = [
    'state',
    'nonce',
    'scope',
    'prompt',
    'max_age',
    'claims',
    'ui_locales',
    'login_hint',
    'id_token_hint',
    'acr_values',
    'response_mode',
    'display',
    'resource',
    'code_challenge',
    'client_id',
    'redirect_uri',
    'registration',
    'claims_locales',
  ]
  const failed: string[] = []
  let calls = 0
  const note = (name: string, { status, headers, body }: Reply) => {
    calls++
    const planted = headers['set-cookie']?.some((line) => line.startsWith('planted'))
    if (status >= 500 || planted || /server_error/.test(headers.location ?? '') || /<script>alert/.test(body))
      failed.push(`${name}: ${status} ${headers.location} ${body.slice(0, 80)}`)
  }
  for (const name of names) {
    for (const value of odd.slice(0, few(odd.length, odd.length))) {
      const own = { [name]: value }
      const path = `${oidcPaths.authorize}?${query(paramsOf(newRequest(), own))}`
      note(`${name} ${JSON.stringify(value.slice(0, 30))}`, await user.get(path, { 'x-forwarded-for': freshAddress() }))
    }
    const twice = `${oidcPaths.authorize}?${query(paramsOf(newRequest()))}&${name}=a&${name}=b`
    note(`${name} twice`, await user.get(twice, { 'x-forwarded-for': freshAddress() }))
  }
  for (const value of [...odd, '..', '%2e%2e', 'a/b'])
    for (const path of [
      `/oidc/authorize/${encodeURIComponent(value)}`,
      `/oidc/logout?id_token_hint=${encodeURIComponent(value)}`,
    ])
      note(path.slice(0, 60), await user.get(path, { 'x-forwarded-for': freshAddress(), accept: 'text/html' }))
  expect(failed).toEqual([])
  figure(`of ${calls} odd parameters that failed or set a header`, failed.length, ['=', 0])
})

test('A56 another host, scheme or address in the headers changes no address that clients are given', async () => {
  const headers = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example;proto=http',
    'x-forwarded-prefix': '/evil',
    'x-original-url': '/evil',
  }
  const answers = [
    await send(nextUrl(), { path: oidcPaths.discovery, method: 'GET', headers: { host: site.host, ...headers } }),
    await send(nextUrl(), { path: oidcPaths.metadata, method: 'GET', headers: { host: site.host, ...headers } }),
  ]
  const absolute = await sendRaw(inject('apiUrls')[0] ?? '', [
    `GET https://evil.example${oidcPaths.discovery} HTTP/1.1`,
    `host: ${site.host}`,
  ])
  const posted = await sendRaw(
    inject('apiUrls')[0] ?? '',
    [`POST https://evil.example${oidcPaths.authorize} HTTP/1.1`, `host: ${site.host}`, `content-type: ${form}`],
    'client_id=shop',
  )
  expect(headerOf(posted, 'location')).toMatch(/^\/oidc\/authorize\?/)
  expect(absolute.status).toBe(200)
  const told = [...answers, absolute].filter(({ body }) => /evil|"http:/.test(body))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(JSON.parse(answers[0]?.body ?? '').issuer).toBe(site.origin)
  figure('answers with an address that a header gave', told.length, ['=', 0])
})

test('A56 pages of other origins read nothing with cookies, and only single-page clients with a token', async () => {
  const user = await t.session(site, (await t.user(site, { password: undefined })).id)
  const { access_token } = await tokensOf(site, user, 'page')
  const shop = await tokensOf(site, user)
  const ask = (origin: string, token: string) =>
    send(nextUrl(), {
      path: oidcPaths.userinfo,
      method: 'GET',
      headers: { host: site.host, origin, authorization: `Bearer ${token}`, 'x-forwarded-for': freshAddress() },
    })
  const readable = async (origin: string, token: string) => {
    const { headers } = await ask(origin, token)
    return headers['access-control-allow-origin'] === origin || headers['access-control-allow-origin'] === '*'
  }
  expect(await readable('https://page.example.com', access_token)).toBe(true)
  const open = [
    await readable('https://evil.example', access_token),
    await readable('null', access_token),
    await readable('https://page.example.com.evil.example', access_token),
    await readable('https://shop.example.com', shop.access_token),
  ]
  figure('answers that other origins may read', open.filter(Boolean).length, ['=', 0])
  const { headers } = await user.get(`${oidcPaths.authorize}?${query(paramsOf(newRequest()))}`, {
    origin: 'https://evil.example',
  })
  expect(headers['access-control-allow-origin']).toBeUndefined()
  expect(headers['access-control-allow-credentials']).toBeUndefined()
  expect((await userinfo(site, access_token)).headers['access-control-allow-credentials']).toBeUndefined()
})
