import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { avatarPath } from '@hufu/contract/avatar-rules'
import { logout } from '@hufu/contract/login'
import { changeNickname } from '@hufu/contract/profile'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import { insertBlob } from '../../platform/blobs.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { UserId } from '../../platform/ids.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'
import { changeStatus } from '../users/users.service.ts'

const origin = 'https://shop.example.com'
const shop = { client: 'shop', secret: 'shop-secret-2026' }
const clients = [
  { id: shop.client, name: '海风书店', secret: shop.secret, sources: [origin, 'https://m.shop.example.com'] },
  { id: 'forum', name: '论坛', secret: 'forum-secret-2026', sources: ['https://forum.example.com'] },
  { id: 'bare', name: '无密钥', sources: ['https://bare.example.com'] },
  {
    id: 'books',
    name: '书店',
    secret: 'books-secret-2026',
    previousSecret: 'books-secret-2025',
    returns: ['https://books.example.com/back?from=id'],
  },
  { id: 'own', name: '自营', kind: 'web' as const, firstParty: true, returns: ['https://own.example.com/cb'] },
  {
    id: 'third',
    name: '第三方',
    kind: 'web' as const,
    secret: 'third-secret-2026',
    returns: ['https://third.example.com/cb'],
  },
  { id: 'app', name: '客户端', kind: 'native' as const, firstParty: true, returns: ['com.example.app:/cb'] },
]

let t: TestApp
let site: TestSite
let signedIn: Awaited<ReturnType<TestApp['signIn']>>
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ clients, sources: ['https://plain.example.com'] })
  signedIn = await t.signIn(site)
})
afterAll(() => t.close())

const verifier = 'A'.repeat(43)
const pkce = (from: string) =>
  ({ code_challenge: sha256(from).toString('base64url'), code_challenge_method: 'S256' }) as const

async function create(source = `${origin}/callback`, state?: string): Promise<string> {
  const { data, code } = await t.call(site, createAuthorization, { source, state })
  if (!data) throw new Error(`no authorization: ${code}`)
  return data
}

async function bind(browser: TestBrowser = signedIn, ...asked: Parameters<typeof create>): Promise<URL> {
  const { data, code } = await browser.call(bindAuthorization, { id: await create(...asked) })
  if (!data) throw new Error(`not bound: ${code}`)
  return new URL(data)
}
const ticketIn = (address: URL) => address.searchParams.get('authorize') ?? ''
const exchange = (ticket: string, as = shop) => t.call(site, exchangeTicket, { ...as, ticket })

/** Lets time pass for this id or ticket. */
async function pass(secret: string, interval: string): Promise<void> {
  for (const table of ['authorize_request', 'authorize_ticket']) {
    const past = `UPDATE ${table} SET expires_at = expires_at - $3::interval WHERE site_id = $1 AND hash = $2`
    await t.deps.pool.query(past, [site.id, sha256(secret), interval])
  }
}

test('S361 creating takes a source and answers an id, of which only the hash is kept', async () => {
  const id = await create(`${origin}/callback?a=1`, 'xyz')
  expect(id).toMatch(/^[\w-]{43}$/)
  const { rows } = await t.deps.pool.query('SELECT * FROM authorize_request WHERE site_id = $1 AND hash = $2', [
    site.id,
    sha256(id),
  ])
  expect(rows).toMatchObject([{ source: `${origin}/callback?a=1`, state: 'xyz', bound_at: null }])
  expect(JSON.stringify(rows)).not.toContain(id)
})

test.each([
  'https://evil.example/',
  `${origin}.evil.example/`,
  `http://shop.example.com/`,
  'https://shop.example.com:8443/',
  'https://a@shop.example.com/',
  'javascript:alert(1)',
  '//shop.example.com/',
  '/api/logout',
  '/login',
  '',
])('D050 a refused source is an error: %s', async (source) => {
  expect(await t.call(site, createAuthorization, { source })).toMatchObject({
    status: 400,
    code: 'AUTHORIZE_SOURCE',
    message: '回跳地址未被允许，请联系网站管理员',
  })
})

test('S362 D031 signed out, binding answers the sign-in page that leads back; the id stays good', async () => {
  const id = await create()
  const visitor = t.browser(site)
  const answer = `/login/${encodeURIComponent(`/loginAuthorize/${id}`)}`
  expect((await visitor.call(bindAuthorization, { id })).data).toBe(answer)
  expect((await visitor.call(bindAuthorization, { id })).data).toBe(answer)
  expect((await signedIn.call(bindAuthorization, { id })).data).toContain(`${origin}/callback?authorize=`)
})

test('S362 D032 D033 signed in, binding answers the source with a ticket that identifies the user to the client', async () => {
  const user = await t.signIn(site)
  await user.call(changeNickname, { nickname: '林知夏' })
  const address = await bind(user)
  expect(address.href).toBe(`${origin}/callback?authorize=${ticketIn(address)}`)
  expect(ticketIn(address)).toMatch(/^[\w-]{43}$/)
  expect((await exchange(ticketIn(address))).data).toEqual({ id: user.id, nickname: '林知夏', avatar: null })
})

test('D032 an id is bound once, also by many at once and by two users', async () => {
  const other = await t.signIn(site)
  const id = await create()
  const replies = await Promise.all(
    times(20, (index) => (index % 2 ? signedIn : other).call(bindAuthorization, { id })),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(replies.filter(({ code }) => code === 'AUTHORIZE_EXPIRED')).toHaveLength(19)
  expect((await t.call(site, bindAuthorization, { id })).code).toBe('AUTHORIZE_EXPIRED')
})

test('an id lives ten minutes, here alone, and what was never given out is refused alike', async () => {
  const [late, gone, foreign] = [await create(), await create(), await create()]
  await pass(late, '9 minutes 55 seconds')
  expect((await signedIn.call(bindAuthorization, { id: late })).status).toBe(200)
  await pass(gone, '10 minutes')
  const abroad = await t.signIn(await t.codeSite({ clients }))
  const replies = [
    await signedIn.call(bindAuthorization, { id: gone }),
    await t.call(site, bindAuthorization, { id: gone }),
    await signedIn.call(bindAuthorization, { id: 'A'.repeat(43) }),
    await abroad.call(bindAuthorization, { id: foreign }),
  ]
  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 400, code: 'AUTHORIZE_EXPIRED' })
    expect(reply.message).toBe('授权请求已失效，请返回原网站重新登录')
  }
})

test.each([
  [`${origin}/cb?x=1&y=a%20b+c&flag#part`, undefined, 'x=1&y=a%20b+c&flag&authorize=T', '#part'],
  [`${origin}/cb?authorize=old&a=1&Authorize=2&authorize=older`, undefined, 'a=1&Authorize=2&authorize=T', ''],
  [`${origin}/cb?state=own`, undefined, 'state=own&authorize=T', ''],
  [`${origin}/cb?state=own&st%61te=more&toString=1`, 's 1&é#', 'toString=1&authorize=T&state=s%201%26%C3%A9%23', ''],
  [`${origin}/cb?`, '', 'authorize=T&state=', ''],
  [`${origin}`, 'x', 'authorize=T&state=x', ''],
])('D032 D076 ticket and state join the query, the rest stays: %s', async (source, state, query, hash) => {
  const address = await bind(signedIn, source, state)
  expect(address.search.replace(ticketIn(address), 'T')).toBe(`?${query}`)
  expect(address.hash).toBe(hash)
  if (state !== undefined) expect(address.searchParams.get('state')).toBe(state)
})

test('a path of our own is answered as a path', async () => {
  const { data } = await signedIn.call(bindAuthorization, { id: await create('/user/theme?a=1#b') })
  expect(data).toMatch(/^\/user\/theme\?a=1&authorize=[\w-]{43}#b$/)
})

test('a source that is refused by now leads nowhere and the id is not used up', async () => {
  const exact = [{ id: 'shop', name: '书店', secret: 'shop-secret-2026', returns: [`${origin}/back`] }]
  const own = await t.codeSite({ clients: exact })
  const user = await t.signIn(own)
  const asked = { source: `${origin}/back`, ...pkce(verifier) }
  const id = (await t.call(own, createAuthorization, asked)).data ?? ''
  const save = async (config: object) => {
    const { version } = await readConfig(t.deps, own.id)
    await saveConfig(t.deps, own.id, { config, basedOn: version }, 'test')
    await t.deps.sites.refresh()
  }
  const { config } = await readConfig(t.deps, own.id)
  await save({ ...config, clients: [] })
  expect((await user.call(bindAuthorization, { id })).code).toBe('AUTHORIZE_SOURCE')
  await save({ ...config, clients: exact.map((client) => ({ ...client, secret: '********' })) })
  expect((await user.call(bindAuthorization, { id })).status).toBe(200)
})

test('D033 a ticket is taken once, of many at once too', async () => {
  const ticket = ticketIn(await bind())
  const replies = await Promise.all(times(20, () => exchange(ticket)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(replies.filter(({ code }) => code === 'AUTHORIZE_TICKET')).toHaveLength(19)
})

test('D033 a ticket is good for 60 seconds', async () => {
  const [late, gone] = [ticketIn(await bind()), ticketIn(await bind())]
  await pass(late, '55 seconds')
  expect((await exchange(late)).status).toBe(200)
  await pass(gone, '60 seconds')
  expect(await exchange(gone)).toMatchObject({ status: 400, code: 'AUTHORIZE_TICKET', message: '授权凭证无效或已使用' })
})

test('D056 only the client whose sources hold the origin exchanges; another one does not use the ticket up', async () => {
  const ticket = ticketIn(await bind(signedIn, 'https://m.shop.example.com/x'))
  expect((await exchange(ticket, { client: 'forum', secret: 'forum-secret-2026' })).code).toBe('AUTHORIZE_TICKET')
  expect((await exchange(ticket)).data?.id).toBe(signedIn.id)
  // An address that belongs to no client can't be exchanged.
  const plain = ticketIn(await bind(signedIn, 'https://plain.example.com/'))
  expect((await exchange(plain)).code).toBe('AUTHORIZE_TICKET')
})

test('D033 an unknown client, a wrong secret and a client without one are refused alike, recorded, and use nothing up', async () => {
  const ticket = ticketIn(await bind())
  const refused = [
    { client: 'unknown', secret: shop.secret },
    { client: shop.client, secret: `${shop.secret}x` },
    { client: shop.client, secret: 'forum-secret-2026' },
    { client: 'bare', secret: 'undefined' },
    { client: '__proto__', secret: 'x' },
  ]
  for (const credentials of refused) {
    expect(await exchange(ticket, credentials)).toMatchObject({
      status: 401,
      code: 'CLIENT_REFUSED',
      message: '应用身份验证失败',
    })
  }
  expect((await exchange(ticket)).status).toBe(200)
  const { rows } = await t.deps.pool.query(
    "SELECT detail->>'count' AS count FROM security_log WHERE site_id = $1 AND event = 'client.refused'",
    [site.id],
  )
  expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(refused.length)
})

test('the exchange needs neither a session nor an origin, and begins no session', async () => {
  const ticket = ticketIn(await bind())
  const headers = { host: site.host }
  const reply = await t.app.inject({
    method: 'POST',
    url: exchangeTicket.path,
    headers,
    payload: { ...shop, ticket },
  })
  expect([reply.statusCode, reply.headers['set-cookie']]).toEqual([200, undefined])
  expect((await t.app.inject({ method: 'GET', url: exchangeTicket.path, headers })).statusCode).toBe(405)
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await t.app.inject({ method: 'POST', url: exchangeTicket.path, headers: form, payload: 'a=1' })
  expect(posted.statusCode).toBe(415)
})

test('D126 a ticket ends with its session: of a user who was disabled or has signed out it is worth nothing', async () => {
  const [disabled, left] = [await t.signIn(site), await t.signIn(site)]
  const tickets = [ticketIn(await bind(disabled)), ticketIn(await bind(left))]
  await changeStatus(t.deps, site.id, disabled.id as UserId, 'disabled', 'test')
  await left.call(logout)
  expect((await exchange(tickets[0] ?? '')).code).toBe('AUTHORIZE_TICKET')
  expect((await exchange(tickets[1] ?? '')).code).toBe('AUTHORIZE_TICKET')
  expect((await disabled.call(bindAuthorization, { id: await create() })).data).toContain('/login/')
})

test('D126 a ticket of an account that is due for erasure is worth nothing, though its session has not ended', async () => {
  const closing = await t.signIn(site)
  const ticket = ticketIn(await bind(closing))
  await t.deps.pool.query('INSERT INTO deletion (site_id, user_id, due_at) VALUES ($1, $2, clock_timestamp())', [
    site.id,
    closing.id,
  ])
  expect((await exchange(ticket)).code).toBe('AUTHORIZE_TICKET')
})

const books = { client: 'books', secret: 'books-secret-2026' }
const back = 'https://books.example.com/back?from=id'

async function bookTicket(more: { state?: string } = {}, by = verifier): Promise<string> {
  const { data: id = '' } = await t.call(site, createAuthorization, { source: back, ...pkce(by), ...more })
  return ticketIn(new URL((await signedIn.call(bindAuthorization, { id })).data ?? ''))
}
const spend = (ticket: string, more: { code_verifier?: string; state?: string } = {}, as = books) =>
  t.call(site, exchangeTicket, { ...as, ticket, ...more })

test.each([
  'https://books.example.com/back',
  'https://books.example.com/back?from=id&more=1',
  'https://books.example.com/back?from=id#part',
  'https://books.example.com/back/?from=id',
  'https://books.example.com:8443/back?from=id',
  'http://books.example.com/back?from=id',
  'https://books.example.com/',
])('D124 only the whole address that a client lists is one to return to: not %s', async (source) => {
  expect((await t.call(site, createAuthorization, { source, ...pkce(verifier) })).code).toBe('AUTHORIZE_SOURCE')
})

test('D124 such an address needs PKCE by S256, and the ticket is exchanged with the verifier alone', async () => {
  const { code_challenge } = pkce(verifier)
  expect((await t.call(site, createAuthorization, { source: back })).code).toBe('AUTHORIZE_PKCE')
  expect((await t.call(site, createAuthorization, { source: back, code_challenge })).code).toBe('AUTHORIZE_PKCE')
  for (const wrong of [{ code_challenge_method: 'plain' }, { code_challenge: verifier.slice(1) }]) {
    const asked = { source: back, ...pkce(verifier), ...wrong } as { source: string }
    expect((await t.call(site, createAuthorization, asked)).code).toBe('INPUT_INVALID')
  }
  expect((await spend(await bookTicket(), { code_verifier: verifier })).data?.id).toBe(signedIn.id)
})

test('D124 a wrong verifier, none, a wrong state and another client are refused; only the last leaves the ticket good', async () => {
  const foreign = 'B'.repeat(43)
  for (const wrong of [{ code_verifier: foreign }, {}, { code_verifier: verifier, state: 'theirs' }]) {
    const ticket = await bookTicket({ state: 'mine' })
    expect((await spend(ticket, wrong)).code).toBe('AUTHORIZE_TICKET')
    expect((await spend(ticket, { code_verifier: verifier, state: 'mine' })).code).toBe('AUTHORIZE_TICKET')
  }
  const ticket = await bookTicket({ state: 'mine' })
  expect((await spend(ticket, { code_verifier: verifier }, shop)).code).toBe('AUTHORIZE_TICKET')
  expect((await spend(ticket, { code_verifier: verifier, state: 'mine' })).data?.id).toBe(signedIn.id)
})

test('D199 the former secret of a client counts as well while it is being replaced', async () => {
  const former = { ...books, secret: 'books-secret-2025' }
  expect((await spend(await bookTicket(), { code_verifier: verifier }, former)).data?.id).toBe(signedIn.id)
  const older = { ...books, secret: 'books-secret-2024' }
  expect((await spend(await bookTicket(), { code_verifier: verifier }, older)).status).toBe(401)
})

test('D194 D202 neither the scheme of an app nor a third party is led to with a ticket', async () => {
  const create = (source: string) => t.call(site, createAuthorization, { source, ...pkce(verifier) })
  expect((await create('https://own.example.com/cb')).status).toBe(200)
  for (const source of ['https://third.example.com/cb', 'com.example.app:/cb'])
    expect((await create(source)).code).toBe('AUTHORIZE_SOURCE')
})

test('D202 a client that becomes a third party takes no ticket of before', async () => {
  const third = { client: 'late', secret: 'late-secret-2026' }
  const late = { id: 'late', name: '后来', secret: third.secret, returns: ['https://late.example.com/cb'] }
  const own = await t.codeSite({ clients: [late] })
  const user = await t.signIn(own)
  const request = async () =>
    (await t.call(own, createAuthorization, { source: late.returns[0] ?? '', ...pkce(verifier) })).data ?? ''
  const ticket = ticketIn(new URL((await user.call(bindAuthorization, { id: await request() })).data ?? ''))
  const waiting = await request()
  const { version, config } = await readConfig(t.deps, own.id)
  const clients = [{ ...late, kind: 'web', secret: '********' }]
  await saveConfig(t.deps, own.id, { config: { ...config, clients }, basedOn: version }, 'test')
  await t.deps.sites.refresh()
  expect((await user.call(bindAuthorization, { id: waiting })).code).toBe('AUTHORIZE_SOURCE')
  const spent = await t.call(own, exchangeTicket, { ...third, ticket, code_verifier: verifier })
  expect(spent.code).toBe('AUTHORIZE_TICKET')
})

test('D125 a client of the first version goes on by its origins; a challenge and a state that it sends count there too', async () => {
  expect((await exchange(ticketIn(await bind(signedIn, `${origin}/any/page`)))).status).toBe(200)
  const stated = ticketIn(await bind(signedIn, `${origin}/`, 'mine'))
  expect((await spend(stated, { state: 'theirs' }, shop)).code).toBe('AUTHORIZE_TICKET')
  expect((await spend(stated, { state: 'mine' }, shop)).code).toBe('AUTHORIZE_TICKET')
  // The challenge was stripped from the request, and the client sends its verifier all the same.
  expect((await spend(ticketIn(await bind()), { code_verifier: verifier }, shop)).code).toBe('AUTHORIZE_TICKET')
  const { data: id = '' } = await t.call(site, createAuthorization, { source: `${origin}/`, ...pkce(verifier) })
  const ticket = ticketIn(new URL((await signedIn.call(bindAuthorization, { id })).data ?? ''))
  expect((await spend(ticket, {}, shop)).code).toBe('AUTHORIZE_TICKET')
})

test('D125 the config takes no new origins, and keeps those that a client of the same id had', async () => {
  const own = await t.codeSite({ clients: [{ id: 'old', name: '老应用', sources: [origin] }] })
  const save = async (list: object[]) => {
    const { version, config } = await readConfig(t.deps, own.id)
    return await saveConfig(t.deps, own.id, { config: { ...config, clients: list }, basedOn: version }, 'test')
  }
  const old = { id: 'old', name: '老应用', sources: [origin] }
  const exact = { id: 'new', name: '新应用', returns: ['https://new.example.com/back'] }
  await save([{ ...old, name: '改名' }, exact])
  const refused = [
    [{ ...old, sources: [origin, 'https://more.example.com'] }],
    [{ ...old, id: 'other' }],
    [{ ...exact, sources: ['https://new.example.com'] }],
  ]
  for (const list of refused) await expect(save(list)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  for (const address of ['http://new.example.com/back', 'https://new.example.com', 'https://new.example.com/#a'])
    await expect(save([{ ...exact, returns: [address] }])).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await save([{ ...exact, returns: ['http://localhost:5000/back', 'http://127.0.0.1:5000/back'] }])
  // Once it is exact it stays so.
  await expect(save([old])).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

test('nickname falls back to that of WeChat; the picture has an address of the site itself', async () => {
  const user = await t.signIn(site)
  const bytes = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#5374fa' } })
    .webp()
    .toBuffer()
  const avatar = { ownerId: user.id as UserId, kind: 'avatar' as const, type: 'image/webp', bytes }
  const { id: blob } = await insertBlob(t.deps.db, site.id, avatar)
  await t.deps.pool.query("UPDATE users SET wechat_nickname = '微信里的名字', avatar_id = $2 WHERE id = $1", [
    user.id,
    blob,
  ])
  const { data } = await exchange(ticketIn(await bind(user)))
  const time = (await t.deps.pool.query('SELECT created_at FROM blob WHERE id = $1', [blob])).rows[0].created_at
  expect(data).toEqual({
    id: user.id,
    nickname: '微信里的名字',
    avatar: site.origin + avatarPath(user.id, time.getTime()),
  })
  const picture = new URL(data?.avatar ?? '')
  const { statusCode, headers } = await t.app.inject({
    url: picture.pathname + picture.search,
    headers: { host: site.host },
  })
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/webp'])
})

test('an authorization is in the security log with the client it was for, and no secret is anywhere', async () => {
  const user = await t.signIn(site)
  const ticket = ticketIn(await bind(user, `${origin}/callback`, 'st4te'))
  await exchange(ticket)
  const { rows } = await t.deps.pool.query(
    "SELECT detail FROM security_log WHERE site_id = $1 AND user_id = $2 AND event = 'authorize'",
    [site.id, user.id],
  )
  expect(rows).toEqual([{ detail: { client: '海风书店', origin } }])
  const kept = await t.deps.pool.query('SELECT to_jsonb(x)::text AS row FROM authorize_ticket x WHERE user_id = $1', [
    user.id,
  ])
  expect(kept.rows).toHaveLength(1)
  for (const text of [kept.rows[0].row, t.log.join('\n')]) {
    expect(text).not.toContain(ticket)
    expect(text).not.toContain(shop.secret)
  }
})
