import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { removeOtherDevices } from '@hufu/contract/devices'
import { logout } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { startExampleSite } from '../../tools/example-site/example-site.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { figure } from '../harness/assert-figure.ts'
import { bind, ticketIn } from '../harness/authorizing.ts'
import { type Browser, few, type Harness, nextUrl, openHarness, type User } from '../harness/harness.ts'

const books = { id: 'books', name: '书店', secret: 'attack-books-secret' }
const back = 'https://books.example.com/back'

let t: Harness
let site: TestSite
let example: { url: string; stop(): Promise<void> }
let relay: ReturnType<typeof createServer>
beforeAll(async () => {
  t = await openHarness()
  const port = await freePort()
  const demo = {
    id: 'example',
    name: '示例',
    secret: 'attack-example-secret',
    returns: [`http://127.0.0.1:${port}/callback`],
  }
  site = await t.codeSite({ clients: [{ ...books, returns: [back] }, demo] })
  relay = startRelay()
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const api = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  example = await startExampleSite({ port, centre: site.origin, api, client: demo.id, secret: demo.secret })
})
afterAll(async () => {
  await example?.stop()
  relay?.close()
  await t.close()
})

/** Carries what the example's server asks to the site: its name is known to the tests alone. */
function startRelay() {
  return createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const call = request(nextUrl(), { method, path, headers: { ...headers, host: site.host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(call.setTimeout(10_000))
  })
}

const newSession = async () => await t.session(site, (await t.user(site, { password: undefined })).id)

const pkce = (verifier: string) => ({
  code_challenge: sha256(verifier).toString('base64url'),
  code_challenge_method: 'S256' as const,
})

const mine = { verifier: 'V'.repeat(43), state: 'the-state-of-the-victim' }
const theirs = { verifier: 'T'.repeat(43), state: 'the-state-of-the-thief' }
type Began = typeof mine

async function newTicket(browser: Browser, { verifier, state }: Began = mine): Promise<string> {
  const asked = { source: back, state, ...pkce(verifier) }
  const { data: id = '' } = await t.browser(site).call(createAuthorization, asked)
  return ticketIn((await bind(browser, id)).data) ?? ''
}

const exchange = (ticket: string, more: { code_verifier?: string; state?: string }) =>
  t.browser(site).call(exchangeTicket, { client: books.id, secret: books.secret, ticket, ...more })
const rightly = { code_verifier: mine.verifier, state: mine.state }

/** A browser at the example site, with the cookies that it got there. */
async function setOut(): Promise<{ cookie: string; asked: URL }> {
  const reply = await fetch(`${example.url}/login`, { redirect: 'manual' })
  const cookie = reply.headers.getSetCookie().map((line) => line.split(';')[0])
  return { cookie: cookie.join('; '), asked: new URL(reply.headers.get('location') ?? '') }
}

/** What the account centre's pages do with the address that a browser comes over by. */
async function leadBack(user: Browser, { pathname, searchParams }: URL): Promise<URL> {
  const source = decodeURIComponent(pathname.replace('/authorize/', ''))
  const asked = { ...Object.fromEntries(searchParams), source } as { source: string }
  const { data: id = '' } = await t.browser(site).call(createAuthorization, asked)
  return new URL((await bind(user, id)).data ?? '')
}

async function arrive(address: URL, cookie: string): Promise<boolean> {
  const reply = await fetch(address, { redirect: 'manual', headers: { cookie } })
  return reply.headers.getSetCookie().some((line) => /^example-session=[^;]+/.test(line))
}

test('A49 at the example site the ticket of a victim, given to another browser with its own state, is refused', async () => {
  let taken = 0
  for (let round = 0; round < few(20, 3); round++) {
    const victim = await newSession()
    const [own, thief] = [await setOut(), await setOut()]
    const address = await leadBack(victim, own.asked)
    const injected = new URL(address)
    injected.searchParams.set('state', thief.asked.searchParams.get('state') ?? '')
    if (await arrive(injected, thief.cookie)) taken++
    // That uses it up: there is no race for it, and its owner starts again.
    if (await arrive(address, own.cookie)) taken++
    const again = await setOut()
    expect(await arrive(await leadBack(victim, again.asked), again.cookie), 'the honest way').toBe(true)
  }
  figure('sign-ins at the example site by an injected ticket', taken, ['=', 0])
})

test('A49 values of another browser are refused, and the ticket is used up', async () => {
  const tries: [string, { code_verifier?: string; state?: string }][] = [
    ["the thief's verifier and state", { code_verifier: theirs.verifier, state: theirs.state }],
    ["the thief's verifier", { code_verifier: theirs.verifier, state: mine.state }],
    ["the thief's state", { code_verifier: mine.verifier, state: theirs.state }],
    ['no verifier', { state: mine.state }],
    ['nothing', {}],
    ['an empty verifier', { code_verifier: '', state: mine.state }],
    ['the challenge as verifier', { code_verifier: pkce(mine.verifier).code_challenge, state: mine.state }],
    ['an empty state', { code_verifier: mine.verifier, state: '' }],
  ]
  const passed: string[] = []
  for (const [name, more] of tries) {
    const ticket = await newTicket(await newSession())
    if ((await exchange(ticket, more)).code !== 'AUTHORIZE_TICKET') passed.push(name)
    if ((await exchange(ticket, rightly)).code !== 'AUTHORIZE_TICKET') passed.push(`${name}: not spent`)
  }
  const victim = await newSession()
  expect((await exchange(await newTicket(victim), rightly)).data?.id).toBe(victim.id)
  expect(passed).toEqual([])
  figure(`of ${tries.length} foreign proofs taken`, passed.length, ['=', 0])
})

test('A49 a ticket ends with the session that made it', async () => {
  const ends: Record<string, (user: User) => Promise<{ status: number }>> = {
    'signing out': (user) => user.call(logout),
    'being removed': async (user) => (await t.session(site, user.id)).call(removeOtherDevices),
    'being idle for too long': async (user) => {
      await t.deps.pool.query("UPDATE session_access SET last_access = now() - interval '31 days' WHERE user_id = $1", [
        user.id,
      ])
      return { status: 200 }
    },
  }
  const alive: string[] = []
  for (const [name, end] of Object.entries(ends)) {
    const user = await newSession()
    const ticket = await newTicket(user)
    expect((await end(user)).status, name).toBe(200)
    if ((await exchange(ticket, rightly)).code !== 'AUTHORIZE_TICKET') alive.push(name)
  }
  expect(alive).toEqual([])
  figure(`of ${Object.keys(ends).length} ends of a session that a ticket outlives`, alive.length, ['=', 0])
})

test('A49 no other path, port or scheme is a valid return address, and none without an S256 challenge', async () => {
  const browser = t.browser(site)
  const addresses = [
    `${back}/`,
    `${back}?a=1`,
    `${back}#a`,
    `${back}/../back2`,
    `${back}%2f`,
    'https://books.example.com/',
    'https://books.example.com:444/back',
    'http://books.example.com/back',
    'https://a@books.example.com/back',
    'https://books.example.com.evil.example/back',
    'https://BOOKS.example.com/Back',
    `${example.url}/login`,
  ]
  const taken: string[] = []
  for (const source of addresses) {
    const { data } = await browser.call(createAuthorization, { source, ...pkce(mine.verifier) })
    if (data) taken.push(source)
  }
  const { code_challenge } = pkce(mine.verifier)
  const loose: object[] = [
    {},
    { code_challenge },
    { code_challenge_method: 'S256' },
    { code_challenge: mine.verifier, code_challenge_method: 'plain' },
  ]
  for (const more of loose) {
    const { data } = await browser.call(createAuthorization, { source: back, ...more })
    if (data) taken.push(JSON.stringify(more))
  }
  expect((await browser.call(createAuthorization, { source: back, ...pkce(mine.verifier) })).status).toBe(200)
  expect(taken).toEqual([])
  figure(`of ${addresses.length + loose.length} other addresses and looser ways taken`, taken.length, ['=', 0])
})
