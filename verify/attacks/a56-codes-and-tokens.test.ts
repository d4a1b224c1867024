import { answerInteraction } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import {
  authorize,
  exchange,
  interactionIn,
  introspect,
  type Led,
  postForm,
  proofOf,
  refresh,
  resume,
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

const newSession = async () => await t.session(site, (await t.user(site, { password: undefined })).id)

/** What is left of the tokens: those that still open something. */
async function alive({ access_token, refresh_token }: { access_token?: string; refresh_token?: string }) {
  const [info, seen, renewed] = [
    await userinfo(site, access_token),
    await introspect(site, access_token),
    await refresh(site, refresh_token),
  ]
  return [info.status === 200, seen.json.active === true, renewed.status === 200].filter(Boolean).length
}

test('A56 a code counts once: of twenty uses at once one wins, and a later one ends what it gave', async () => {
  const [rounds, won, left] = [few(10, 3), [] as number[], [] as number[]]
  for (let round = 0; round < rounds; round++) {
    const led = await authorize(await newSession())
    const answers = await Promise.all(times(20, () => exchange(site, led)))
    const good = answers.filter(({ status }) => status === 200)
    won.push(good.length)
    expect(tally(answers.map(({ status, json }) => `${status} ${json.error ?? ''}`))['400 invalid_grant']).toBe(19)
    await exchange(site, led)
    left.push(await alive(good[0]?.json ?? {}))
  }
  figure('winners of twenty uses of a code at once, the most', Math.max(...won), ['=', 1])
  figure('winners of twenty uses of a code at once, the fewest', Math.min(...won), ['=', 1])
  figure('uses of tokens whose code came again', Math.max(...left), ['=', 0])
})

test('A56 a refresh token counts once: twenty at once cost the client nothing, a later use ends the grant', async () => {
  const [rounds, won, kept, left] = [few(10, 3), [] as number[], [] as number[], [] as number[]]
  for (let round = 0; round < rounds; round++) {
    const user = await newSession()
    const first = await tokensOf(site, user)
    const answers = await Promise.all(times(20, () => refresh(site, first.refresh_token)))
    const good = answers.filter(({ status }) => status === 200)
    won.push(good.length)
    const next = await refresh(site, good[0]?.json.refresh_token)
    kept.push(next.status)
    await t.deps.pool.query(
      `UPDATE oidc_item SET consumed_at = consumed_at - interval '3.1 seconds'
        WHERE site_id = $1 AND kind = 'RefreshToken' AND hash = $2`,
      [site.id, sha256(first.refresh_token ?? '')],
    )
    expect((await refresh(site, first.refresh_token)).json.error).toBe('invalid_grant')
    left.push(await alive(next.json), await alive(first))
  }
  figure('winners of twenty refreshes at once, the most', Math.max(...won), ['=', 1])
  figure('winners of twenty refreshes at once, the fewest', Math.min(...won), ['=', 1])
  figure('grants that a race ended', kept.filter((status) => status !== 200).length, ['=', 0])
  figure('uses of a grant whose refresh token was replayed', Math.max(...left), ['=', 0])
})

test('A56 a code is worth nothing without its verifier, its client, its address of return and the secret', async () => {
  const tries: Record<string, (led: Led) => ReturnType<typeof exchange>> = {
    'another verifier': (led) => exchange(site, led, { code_verifier: 'V'.repeat(43) }),
    'no verifier': (led) => exchange(site, led, { code_verifier: undefined }),
    'an empty verifier': (led) => exchange(site, led, { code_verifier: '' }),
    'the challenge as verifier': (led) =>
      exchange(site, led, { code_verifier: sha256(led.asked.verifier).toString('base64url') }),
    'another client': (led) => exchange(site, led, {}, { headers: proofOf('books') }),
    'a public client': (led) => exchange(site, led, { client_id: 'page' }, { headers: {} }),
    'the client without its secret': (led) => exchange(site, led, { client_id: 'shop' }, { headers: {} }),
    'an empty secret': (led) => exchange(site, led, {}, { headers: proofOf('shop', '') }),
    'the secret of another client': (led) =>
      exchange(site, led, {}, { headers: { authorization: basicOf('shop', 'the-secret-of-the-client-books') } }),
    'another address of return': (led) => exchange(site, led, { redirect_uri: 'https://shop.example.com/other' }),
    'no address of return': (led) => exchange(site, led, { redirect_uri: undefined }),
    'client and secret given twice': (led) =>
      exchange(site, led, { client_id: 'shop', client_secret: 'the-secret-of-the-client-shop' }),
    'as a refresh token': ({ code }) => refresh(site, code),
    'as an access token': ({ code }) => userinfo(site, code),
    'in the query': ({ code, asked }) =>
      postForm(
        site,
        `/oidc/token?grant_type=authorization_code&code=${code}&code_verifier=${asked.verifier}`,
        {},
        { headers: proofOf('shop') },
      ),
  }
  const passed: string[] = []
  for (const [name, attempt] of Object.entries(tries)) {
    const { status, body } = await attempt(await authorize(await newSession()))
    if (status < 400 || status >= 500) passed.push(`${name}: ${status} ${body}`)
  }
  expect(passed).toEqual([])
  figure(`of ${Object.keys(tries).length} wrong exchanges taken`, passed.length, ['=', 0])
})

const basicOf = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

test('A56 no request goes without S256, with another flow, or to a scope that the client has not', async () => {
  const user = await newSession()
  const plain = { code_challenge: 'V'.repeat(43), code_challenge_method: 'plain' }
  const without = { code_challenge: undefined, code_challenge_method: undefined }
  const tries: [client: string, own: Record<string, string | undefined>][] = [
    ...['shop', 'page'].flatMap((client): [string, Record<string, string | undefined>][] => [
      [client, plain],
      [client, without],
      [client, { code_challenge_method: undefined }],
      [client, { code_challenge: undefined }],
      [client, { response_type: 'token' }],
      [client, { response_type: 'id_token' }],
      [client, { response_type: 'code id_token' }],
      [client, { response_type: 'none' }],
      [client, { request: 'eyJhbGciOiJub25lIn0.e30.' }],
      [client, { request_uri: 'https://evil.example/request' }],
    ]),
    ['worker', { redirect_uri: 'https://shop.example.com/callback' }],
    ['nothing', {}],
  ]
  const given: string[] = []
  for (const [client, own] of tries) {
    const { to } = await authorize(user, client, own)
    if (['code', 'access_token', 'id_token'].some((name) => (to.search + to.hash).includes(`${name}=`)))
      given.push(`${client} ${JSON.stringify(own)}`)
  }
  expect(given).toEqual([])
  figure(`of ${tries.length} looser requests answered with a code or a token`, given.length, ['=', 0])
  const machine = await postForm(
    site,
    '/oidc/token',
    { grant_type: 'client_credentials', scope: 'openid profile phone' },
    { headers: proofOf('worker') },
  )
  expect((await userinfo(site, machine.json.access_token)).status).toBeGreaterThanOrEqual(400)
  const others = ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', 'refresh_token', '']
  const answers = await Promise.all(
    others.map((grant_type) =>
      postForm(site, '/oidc/token', { grant_type, username: 'x', password: 'x' }, { headers: proofOf('worker') }),
    ),
  )
  const shopAsMachine = await postForm(
    site,
    '/oidc/token',
    { grant_type: 'client_credentials' },
    { headers: proofOf('shop') },
  )
  const granted = [...answers, shopAsMachine].filter(({ status }) => status === 200)
  figure('grant types beyond those of the client', granted.length, ['=', 0])
})

test('A56 a refresh widens no scope, and works for its own client alone', async () => {
  const user = await newSession()
  const refused: Record<string, number> = {}
  const attempt = async (name: string, own: Record<string, string>, headers = proofOf('shop')) => {
    const { refresh_token } = await tokensOf(site, user, 'shop', 'openid profile')
    const { status, json } = await refresh(site, refresh_token, own, { headers })
    refused[name] = status
    return json
  }
  await attempt('a scope that was not asked for', { scope: 'openid profile phone' })
  await attempt('offline_access', { scope: 'openid offline_access' })
  await attempt('another client', {}, proofOf('books'))
  await attempt('a public client', { client_id: 'page' }, {})
  await attempt('a machine', {}, proofOf('worker'))
  const narrowed = await attempt('narrower', { scope: 'openid' })
  const info = await userinfo(site, narrowed.access_token)
  expect(info.json).toEqual({ sub: user.id })
  const widened = await refresh(site, narrowed.refresh_token, { scope: 'openid profile email' })
  const { narrower, ...others } = refused
  expect(narrower).toBe(200)
  const taken = [...Object.values(others), widened.status].filter((status) => status < 400)
  figure('refreshes by another client or to a wider scope', taken.length, ['=', 0])
})

test('A56 introspection and revocation by another client show and end nothing', async () => {
  const user = await newSession()
  const tokens = await tokensOf(site, user)
  const [access, again] = [tokens.access_token, tokens.refresh_token]
  const shown: string[] = []
  for (const client of ['books', 'page', 'app']) {
    for (const token of [access, again]) {
      const headers = proofOf(client)
      const own = Object.keys(headers).length === 0 ? { client_id: client } : {}
      const seen = await postForm(site, '/oidc/introspect', { token, ...own }, { headers })
      if (seen.json.active !== false && seen.status === 200) shown.push(`${client}: ${seen.body}`)
      await postForm(site, '/oidc/revoke', { token, ...own }, { headers })
    }
  }
  for (const path of ['/oidc/introspect', '/oidc/revoke']) {
    const bare = await postForm(site, path, { token: access })
    if (bare.status === 200) shown.push(`${path} without a client`)
    const posed = await postForm(site, path, { token: access, client_id: 'shop' })
    if (posed.status === 200) shown.push(`${path} without a secret`)
  }
  expect(shown).toEqual([])
  figure("another client's looks at a token", shown.length, ['=', 0])
  expect((await introspect(site, access)).json.active).toBe(true)
  figure("tokens that another client's revocation left", await alive(tokens), ['=', 3])
  await postForm(site, '/oidc/revoke', { token: access }, { headers: proofOf('shop') })
  expect((await userinfo(site, access)).status).toBe(401)
})

test('A56 consent of one user is none of another, and prompt=none never shows a page', async () => {
  const [one, other] = [await newSession(), await newSession()]
  const asked = { scope: 'openid profile' }
  const first = await authorize(one, 'books', asked)
  expect((await one.call(answerInteraction, { id: interactionIn(first.to), accept: true })).status).toBe(200)
  expect((await resume(one, first.to)).searchParams.get('code')).toBeTruthy()
  const foreign = await authorize(other, 'books', asked)
  expect(foreign.to.pathname).toBe(`/consent/${interactionIn(foreign.to)}`)
  // The page of another's browser: neither shown nor answered.
  const stolen = await one.call(answerInteraction, { id: interactionIn(foreign.to), accept: true })
  expect(stolen.code).toBe('AUTHORIZE_EXPIRED')
  figure(
    'consents that counted for another user',
    Number(Boolean((await resume(other, foreign.to)).searchParams.get('code'))),
    ['=', 0],
  )
  const silent = [
    await authorize(other, 'books', { ...asked, prompt: 'none' }),
    await authorize(t.browser(site), 'books', { ...asked, prompt: 'none' }),
    await authorize(one, 'books', { scope: 'openid profile phone', prompt: 'none' }),
    await authorize(one, 'app', { ...asked, prompt: 'none' }),
    await authorize(one, 'shop', { ...asked, prompt: 'none', max_age: '0' }),
    await authorize(one, 'shop', {
      ...asked,
      prompt: 'none',
      claims: '{"id_token":{"acr":{"essential":true,"values":["2"]}}}',
    }),
    await authorize(one, 'shop', { ...asked, prompt: 'none login' }),
  ]
  const pages = silent.filter(({ to }) => to.hostname === 'none.invalid')
  const answered = silent.map(({ to }) => to.searchParams.get('error'))
  expect(answered).toEqual([
    'consent_required',
    'login_required',
    'consent_required',
    'consent_required',
    'login_required',
    'login_required',
    'invalid_request',
  ])
  figure('pages shown for prompt=none', pages.length, ['=', 0])
})
