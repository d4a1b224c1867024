import { confirmLogin, loginByMobile, logout } from '@hufu/contract/login'
import { disownNoticedSignIn } from '@hufu/contract/security'
import { bindWechat, wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SessionId } from '../../apps/server/src/platform/ids.ts'
import { issueLink } from '../../apps/server/src/shared/notices/notice-links.store.ts'
import { sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { bare, bind, books, createId, exchange, forum, passTime, shop, ticketIn } from '../harness/authorizing.ts'
import {
  askCode,
  codeConfig,
  few,
  freshAddress,
  type Harness,
  number,
  openHarness,
  type User,
} from '../harness/harness.ts'
import { tally } from '../harness/http.ts'

const rounds = few(40, 2)
const atOnce = 50

let t: Harness
let site: TestSite
let elsewhere: TestSite
let users: User[]
beforeAll(async () => {
  t = await openHarness()
  const wechat = await newWechat()
  ;[site, elsewhere] = (await t.sites(2, () => codeConfig({ wechat, clients: [shop, forum, books, bare] }))) as [
    TestSite,
    TestSite,
  ]
  users = await Promise.all(times(8, async () => t.session(site, (await t.user(site, { password: undefined })).id)))
})
afterAll(() => t.close())

const userAt = (index = 0) => users[index % users.length] as User

async function newTicket(source?: string): Promise<string> {
  const { data } = await bind(userAt(), await createId(userAt(), source))
  return ticketIn(data) ?? ''
}

test('A31 an authorize id bound by many at once, of several users, gives one ticket', async () => {
  const outcomes: (string | undefined)[] = []
  for (let round = 0; round < rounds; round++) {
    const id = await createId(t.browser(site))
    const replies = await Promise.all(times(atOnce, (index) => bind(userAt(index), id)))
    const tickets = replies.flatMap(({ data }) => ticketIn(data) ?? [])
    expect(tickets, `round ${round}`).toHaveLength(1)
    outcomes.push(...replies.map(({ code, status }) => code ?? String(status)))
  }
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS n FROM authorize_ticket WHERE site_id = $1', [
    site.id,
  ])
  expect(rows[0].n).toBe(rounds)
  figure('uses of one authorize id by 50 at once', (tally(outcomes)[200] ?? 0) / rounds, ['=', 1])
  expect(tally(outcomes)).toEqual({ 200: rounds, AUTHORIZE_EXPIRED: rounds * (atOnce - 1) })
})

test('A31 a ticket exchanged by many at once succeeds once', async () => {
  const outcomes: (string | undefined)[] = []
  for (let round = 0; round < rounds; round++) {
    const ticket = await newTicket()
    const replies = await Promise.all(times(atOnce, () => exchange(t, site, ticket)))
    expect(
      replies.filter(({ data }) => data?.id === userAt().id),
      `round ${round}`,
    ).toHaveLength(1)
    outcomes.push(...replies.map(({ code, status }) => code ?? String(status)))
  }
  figure('uses of one authorize ticket by 50 at once', (tally(outcomes)[200] ?? 0) / rounds, ['=', 1])
  expect(tally(outcomes)).toEqual({ 200: rounds, AUTHORIZE_TICKET: rounds * (atOnce - 1) })
})

test('A31 after expiry, on another site, or by another client or user neither is valid', async () => {
  const late = await createId(userAt())
  await passTime(t, late, '10 minutes')
  expect((await bind(userAt(), late)).code).toBe('AUTHORIZE_EXPIRED')

  const gone = await newTicket()
  await passTime(t, gone, '60 seconds')
  expect((await exchange(t, site, gone)).code).toBe('AUTHORIZE_TICKET')

  const abroad = await t.session(elsewhere, (await t.user(elsewhere, { password: undefined })).id)
  const [id, ticket, ownTicket] = [await createId(userAt()), await newTicket(), await newTicket(`${bare.sources[0]}/`)]
  const tried: [string, { code: string | undefined }][] = [
    ['the id on another site', await bind(abroad, id)],
    ['the ticket as an id', await bind(userAt(), ticket)],
    ['the id as a ticket', await exchange(t, site, id)],
    ['the ticket on another site', await exchange(t, elsewhere, ticket)],
    ['the ticket by another client', await exchange(t, site, ticket, forum)],
    ['the ticket with a wrong secret', await exchange(t, site, ticket, { ...shop, secret: 'wrong' })],
    ["the ticket with another client's secret", await exchange(t, site, ticket, { ...shop, secret: forum.secret })],
    ['the ticket by a client without a secret', await exchange(t, site, ticket, { ...bare, secret: 'undefined' })],
    ['its own ticket by such a client', await exchange(t, site, ownTicket, { ...bare, secret: 'undefined' })],
    ['the ticket by an unknown client', await exchange(t, site, ticket, { id: 'unknown', secret: shop.secret })],
    ['half of the ticket', await exchange(t, site, ticket.slice(0, 20))],
    ['the ticket and more', await exchange(t, site, `${ticket}A`)],
  ]
  for (const [what, { code }] of tried)
    expect(['AUTHORIZE_EXPIRED', 'AUTHORIZE_TICKET', 'CLIENT_REFUSED'], `${what}: ${code}`).toContain(code)
  // None of that used them up.
  expect((await exchange(t, site, ticket)).data?.id).toBe(userAt().id)
  expect(ticketIn((await bind(userAt(), id)).data)).toBeDefined()
  figure('uses late, elsewhere or by others', tried.length + 2, ['>=', 14])
  figure('of them accepted', tried.filter(([, { code }]) => code === undefined).length, ['=', 0])
})

test('A31 a ticket is used up when it is presented with the state or verifier of another browser, and when its session ends', async () => {
  const mine = { verifier: 'm'.repeat(43), state: 'mine' }
  const right = { code_verifier: mine.verifier, state: mine.state }
  const made = async (user: User) =>
    ticketIn((await bind(user, await createId(user, books.returns[0], mine))).data) ?? ''
  const wrong = [{ ...right, state: 'theirs' }, { ...right, code_verifier: 't'.repeat(43) }, { state: 'mine' }]
  let passed = 0
  for (let round = 0; round < rounds; round++) {
    for (const shown of wrong) {
      const ticket = await made(userAt(round))
      const replies = await Promise.all([
        exchange(t, site, ticket, books, shown),
        exchange(t, site, ticket, books, shown),
      ])
      replies.push(await exchange(t, site, ticket, books, right))
      passed += replies.filter(({ code }) => code !== 'AUTHORIZE_TICKET').length
    }
    const leaving = await t.session(site, userAt().id)
    const [left, kept] = [await made(leaving), await made(userAt(round))]
    expect((await leaving.call(logout)).status).toBe(200)
    if ((await exchange(t, site, left, books, right)).code !== 'AUTHORIZE_TICKET') passed++
    expect((await exchange(t, site, kept, books, right)).data?.id).toBe(userAt(round).id)
  }
  figure(`of ${rounds * 10} uses by another browser or after the end of the session accepted`, passed, ['=', 0])
})

/** How many concurrent calls succeeded, over all rounds. */
async function usesOf(make: () => Promise<() => Promise<boolean>>): Promise<number> {
  let uses = 0
  for (let round = 0; round < rounds; round++) {
    const use = await make()
    uses += (await Promise.all(times(20, use))).filter(Boolean).length
  }
  return uses / rounds
}

test('A31 the link of a notice and the ticket of a navigation count once, however many use them at once', async () => {
  const user = userAt()
  const links = await usesOf(async () => {
    const ended = await t.session(site, user.id)
    const noticed = { purpose: 'disown', userId: user.id, subject: sessionOf(ended) as SessionId, days: 7 } as const
    const token = (await issueLink(t.deps.db, site.id, noticed)) ?? ''
    return async () => (await t.browser(site).call(disownNoticedSignIn, { token })).status === 200
  })
  figure('uses of the link of a notice by 20 at once', links, ['=', 1])
  const tickets = await usesOf(async () => {
    const { data } = await user.call(wechatTicket)
    return async () => {
      const { headers } = await user.get(`${bindWechat.path}?ticket=${data}`, { 'x-forwarded-for': freshAddress() })
      return String(headers.location).includes('/connect/oauth2/authorize')
    }
  })
  figure('uses of the ticket of a navigation by 20 at once', tickets, ['=', 1])
})

test('A31 the ticket of a sign-in that waits for a second proof counts once', async () => {
  const uses = await usesOf(async () => {
    const { id, mobile } = await t.user(site, { password: undefined })
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [id])
    const browser = t.browser(site)
    const { details } = await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
    return async () => (await browser.call(confirmLogin, { ticket: details.ticket, mine: false })).status === 200
  })
  figure('uses of the ticket of a sign-in by 20 at once', uses, ['=', 1])
})
