import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestSite, times } from '../apps/server/test/test-app.ts'
import { bare, bind, createId, exchange, forum, passTime, shop, ticketIn } from './authorizing.ts'
import { few, type Harness, openHarness, type Person } from './harness.ts'
import { tally } from './http.ts'

const rounds = few(40, 5)
const atOnce = 50

let t: Harness
let site: TestSite
let elsewhere: TestSite
let people: Person[]
beforeAll(async () => {
  t = await openHarness()
  ;[site, elsewhere] = (await t.sites(2, () => ({ clients: [shop, forum, bare] }))) as [TestSite, TestSite]
  people = await Promise.all(times(8, async () => t.session(site, (await t.person(site, { password: undefined })).id)))
})
afterAll(() => t.close())

const somebody = (index = 0) => people[index % people.length] as Person

async function newTicket(source?: string): Promise<string> {
  const { data } = await bind(somebody(), await createId(somebody(), source))
  return ticketIn(data) ?? ''
}

test('A31 an authorize id bound by many at once, of several people, gives one ticket', async () => {
  const outcomes: (string | undefined)[] = []
  for (let round = 0; round < rounds; round++) {
    const id = await createId(t.browser(site))
    const replies = await Promise.all(times(atOnce, (index) => bind(somebody(index), id)))
    const tickets = replies.flatMap(({ data }) => ticketIn(data) ?? [])
    expect(tickets, `round ${round}`).toHaveLength(1)
    outcomes.push(...replies.map(({ code, status }) => code ?? String(status)))
  }
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS n FROM authorize_ticket WHERE site_id = $1', [
    site.id,
  ])
  expect(rows[0].n).toBe(rounds)
  console.log(`A31: ${rounds} ids bound by ${atOnce} calls each on two processes: ${JSON.stringify(tally(outcomes))}`)
  expect(tally(outcomes)).toEqual({ 200: rounds, AUTHORIZE_EXPIRED: rounds * (atOnce - 1) })
})

test('A31 a ticket exchanged by many at once tells once', async () => {
  const outcomes: (string | undefined)[] = []
  for (let round = 0; round < rounds; round++) {
    const ticket = await newTicket()
    const replies = await Promise.all(times(atOnce, () => exchange(t, site, ticket)))
    expect(
      replies.filter(({ data }) => data?.id === somebody().id),
      `round ${round}`,
    ).toHaveLength(1)
    outcomes.push(...replies.map(({ code, status }) => code ?? String(status)))
  }
  console.log(`A31: ${rounds} tickets exchanged by ${atOnce} calls each: ${JSON.stringify(tally(outcomes))}`)
  expect(tally(outcomes)).toEqual({ 200: rounds, AUTHORIZE_TICKET: rounds * (atOnce - 1) })
})

test('A31 after its time, elsewhere, or by anybody else neither is worth anything', async () => {
  const late = await createId(somebody())
  await passTime(t, late, '10 minutes')
  expect((await bind(somebody(), late)).code).toBe('AUTHORIZE_EXPIRED')

  const gone = await newTicket()
  await passTime(t, gone, '60 seconds')
  expect((await exchange(t, site, gone)).code).toBe('AUTHORIZE_TICKET')

  const abroad = await t.session(elsewhere, (await t.person(elsewhere, { password: undefined })).id)
  const [id, ticket, ownTicket] = [
    await createId(somebody()),
    await newTicket(),
    await newTicket(`${bare.sources[0]}/`),
  ]
  const tried: [string, { code: string | undefined }][] = [
    ['the id on another site', await bind(abroad, id)],
    ['the ticket as an id', await bind(somebody(), ticket)],
    ['the id as a ticket', await exchange(t, site, id)],
    ['the ticket on another site', await exchange(t, elsewhere, ticket)],
    ['the ticket by another client', await exchange(t, site, ticket, forum)],
    ['the ticket with a wrong secret', await exchange(t, site, ticket, { ...shop, secret: 'wrong' })],
    ["the ticket with another client's secret", await exchange(t, site, ticket, { ...shop, secret: forum.secret })],
    ['the ticket by a client without a secret', await exchange(t, site, ticket, { ...bare, secret: 'undefined' })],
    ['its own ticket by such a client', await exchange(t, site, ownTicket, { ...bare, secret: 'undefined' })],
    ['the ticket by nobody', await exchange(t, site, ticket, { id: 'nobody', secret: shop.secret })],
    ['half of the ticket', await exchange(t, site, ticket.slice(0, 20))],
    ['the ticket and more', await exchange(t, site, `${ticket}A`)],
  ]
  for (const [what, { code }] of tried)
    expect(['AUTHORIZE_EXPIRED', 'AUTHORIZE_TICKET', 'CLIENT_REFUSED'], `${what}: ${code}`).toContain(code)
  // None of that used them up.
  expect((await exchange(t, site, ticket)).data?.id).toBe(somebody().id)
  expect(ticketIn((await bind(somebody(), id)).data)).toBeDefined()
  console.log(`A31: ${tried.length + 2} uses late, elsewhere or by others, all refused, none of them used anything up`)
})
