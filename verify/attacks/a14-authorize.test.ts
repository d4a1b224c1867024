import { logout } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { bind, books, createId, exchange, forum, passTime, shop, ticketIn } from '../harness/authorizing.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { random } from '../harness/walks.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  ;[site] = (await t.sites(1, () => ({ clients: [shop, forum, books] }))) as [TestSite]
})
afterAll(() => t.close())

const clients = [shop, forum, books] as const
type Client = (typeof clients)[number]

/** What ties a request to the browser that made it; only one that lists whole addresses needs the verifier. */
interface Began {
  state: string
  verifier: string | undefined
}

interface Member {
  browser: User
  signedIn: boolean
  /** Which of their sessions it is. */
  turn: number
}

/** The expected state of everything, derived only from the steps taken. */
interface Model {
  /** Two users, each signed in or with the cookies of a session that has ended. */
  users: Member[]
  ids: { id: string; of: Client; over: boolean; began: Began }[]
  tickets: { ticket: string; of: Client; owner: Member; turn: number; over: boolean; began: Began }[]
  log: string[]
}

type Pick = (below: number) => number
const oneOf = <Value>(values: readonly Value[], pick: Pick): Value | undefined => values[pick(values.length)]
/** Mostly one that isn't over. */
const fresher = <Value extends { over: boolean }>(values: Value[], pick: Pick): Value | undefined => {
  const open = values.filter(({ over }) => !over)
  return (pick(3) > 0 && oneOf(open, pick)) || oneOf(values, pick)
}
const sourceOf = (of: Client) => ('returns' in of ? (of.returns[0] ?? '') : `${of.sources[0]}/callback`)

let begun = 0

const steps: Record<string, (model: Model, pick: Pick, counts: Record<string, number>) => Promise<void>> = {
  async create({ ids, users }, pick) {
    const of = oneOf(clients, pick) ?? shop
    const { browser } = oneOf(users, pick) ?? { browser: t.browser(site) }
    const began = { state: `state-${++begun}`, verifier: 'returns' in of ? `${begun}`.padStart(43, 'v') : undefined }
    ids.push({ id: await createId(browser, sourceOf(of), began), of, over: false, began })
  },
  async bind({ ids, tickets, users, log }, pick, counts) {
    const asked = fresher(ids, pick)
    const who = oneOf(users, pick)
    if (!asked || !who) return
    const { data, code } = await bind(who.browser, asked.id)
    const context = log.join(' ')
    if (asked.over) {
      expect(code, context).toBe('AUTHORIZE_EXPIRED')
      counts.refused = (counts.refused ?? 0) + 1
      return
    }
    if (!who.signedIn) return expect(data, context).toBe(`/login/${encodeURIComponent(`/loginAuthorize/${asked.id}`)}`)
    const ticket = ticketIn(data)
    expect(data, context).toBe(`${sourceOf(asked.of)}?authorize=${ticket}&state=${asked.began.state}`)
    asked.over = true
    const { of, began } = asked
    tickets.push({ ticket: ticket ?? '', of, owner: who, turn: who.turn, over: false, began })
    counts.bound = (counts.bound ?? 0) + 1
  },
  /** By its own client or another, with its own proofs or with those of another browser. */
  async exchange({ tickets, ids, log }, pick, counts) {
    const asked = fresher(tickets, pick)
    const client = pick(2) === 0 ? asked?.of : oneOf(clients, pick)
    if (!asked || !client) return
    const wrong = pick(4) === 0
    const { began: shown } = (pick(3) === 0 && oneOf(ids, pick)) || asked
    const { data, code } = await exchange(t, site, asked.ticket, wrong ? { ...client, secret: 'guessed' } : client, {
      state: shown.state,
      ...(shown.verifier !== undefined && { code_verifier: shown.verifier }),
    })
    const context = log.join(' ')
    const reaches = !wrong && client === asked.of && !asked.over
    const signedIn = asked.owner.signedIn && asked.owner.turn === asked.turn
    const passes = reaches && signedIn && shown === asked.began
    expect(data?.id, `${context} ${code}`).toBe(passes ? asked.owner.browser.id : undefined)
    if (!passes) expect(code, context).toBe(wrong ? 'CLIENT_REFUSED' : 'AUTHORIZE_TICKET')
    if (reaches) asked.over = true
    const outcome = passes ? 'exchanged' : !reaches ? 'refused' : signedIn ? 'foreign' : 'signedOut'
    counts[outcome] = (counts[outcome] ?? 0) + 1
  },
  /** An id where a ticket belongs, and a ticket where an id belongs. */
  async mixUp({ ids, tickets, users, log }, pick, counts) {
    const [id, ticket, who] = [oneOf(ids, pick), oneOf(tickets, pick), oneOf(users, pick)]
    if (id) expect((await exchange(t, site, id.id, id.of)).code, log.join(' ')).toBe('AUTHORIZE_TICKET')
    if (ticket && who) expect((await bind(who.browser, ticket.ticket)).code, log.join(' ')).toBe('AUTHORIZE_EXPIRED')
    counts.refused = (counts.refused ?? 0) + 1
  },
  async expireId({ ids }, pick) {
    const asked = oneOf(ids, pick)
    if (!asked) return
    await passTime(t, asked.id, '10 minutes')
    asked.over = true
  },
  async expireTicket({ tickets }, pick) {
    const asked = oneOf(tickets, pick)
    if (!asked) return
    await passTime(t, asked.ticket, '60 seconds')
    asked.over = true
  },
  async signOut({ users }, pick) {
    const who = oneOf(users, pick)
    if (!who?.signedIn) return
    const kept = new Map(who.browser.cookies)
    expect((await who.browser.call(logout)).status).toBe(200)
    for (const [name, value] of kept) who.browser.cookies.set(name, value)
    who.signedIn = false
  },
  async signIn({ users }, pick) {
    const who = oneOf(users, pick)
    if (!who || who.signedIn) return
    who.browser = await t.session(site, who.browser.id)
    who.signedIn = true
    who.turn++
  },
}

async function walk(seed: number, length: number, counts: Record<string, number>): Promise<void> {
  const pick = random(seed)
  const user = async () => ({
    browser: await t.session(site, (await t.user(site, { password: undefined })).id),
    signedIn: true,
    turn: 0,
  })
  const model: Model = { users: [await user(), await user()], ids: [], tickets: [], log: [`seed ${seed}:`] }
  // The valid order is tried often enough to be reached, invalid orders far more often.
  const often = ['create', 'bind', 'bind', 'bind', 'exchange', 'exchange', 'exchange', 'exchange', 'signIn', 'signIn']
  const names = [...Object.keys(steps), ...often]
  for (let step = 0; step < length; step++) {
    const name = names[pick(names.length)] as string
    model.log.push(name)
    await steps[name]?.(model, pick, counts)
  }
}

const length = 60

test('A14 in no order of creating, binding, exchanging, expiring and signing out is a step skipped', async () => {
  const seeds = Array.from({ length: few(300, 10) }, (_, index) => index + 1)
  const counts: Record<string, number> = {}
  for (let from = 0; from < seeds.length; from += 10)
    await Promise.all(seeds.slice(from, from + 10).map((seed) => walk(seed, length, counts)))
  console.log(
    `A14: ${seeds.length} walks of ${length} calls with two users and three clients on two processes: ${JSON.stringify(counts)}, all as the model says`,
  )
  for (const outcome of ['bound', 'exchanged', 'refused'])
    expect(counts[outcome], outcome).toBeGreaterThan(seeds.length / 4)
  figure('authorize: tickets shown with the proofs of another browser', counts.foreign ?? 0, ['>=', few(100, 1)])
  figure('authorize: tickets shown after their session had ended', counts.signedOut ?? 0, ['>=', few(100, 1)])
})
