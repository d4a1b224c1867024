import {
  cancelRecovery,
  finishRecovery,
  openRecovery,
  proveRecovery,
  sendRecoveryEmailCode,
  sendRecoveryMobileCode,
  startRecovery,
  stopNoticedRecovery,
} from '@hufu/contract/recovery'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pass } from '../../apps/server/test/recovering.ts'
import { codeTo, fresh, type TestSite, wideLimits, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, few, type Harness, number, openHarness } from '../harness/harness.ts'
import { random } from '../harness/walks.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ limits: { ...wideLimits, passwordFailures: 1_000 } })
})
afterAll(() => t.close())

type Account = Awaited<ReturnType<Harness['user']>> & {
  /** Hours of the wait that are left; none is going on where it isn't given. */
  left?: number | undefined
  /** The links of its notices, and whether the change that each announced is over. */
  links: { token: string; over: boolean }[]
}

interface Ticket {
  ticket: string
  browser: Browser
  of: Account
  proved: boolean
  over: boolean
}

/** A code that was sent, and the one ticket that it counts for. */
interface Code {
  value: string
  ticket: Ticket
  spent: boolean
  tries: number
}

/** The expected state of everything, derived only from the steps taken. */
interface Model {
  browsers: Browser[]
  accounts: Account[]
  tickets: Ticket[]
  /** Two that no account has, and those of the accounts. */
  numbers: string[]
  /** The newest by where they were sent to. */
  codes: Map<string, Code>
  log: string[]
  counts: Record<string, number>
}

type Pick = (below: number) => number
/** Whether the step is taken correctly as far as possible, or with arbitrary input. */
interface Way {
  pick: Pick
  honest: boolean
  ticket: Ticket
}

const oneOf = <Value>(values: readonly Value[], pick: Pick): Value => values[pick(values.length)] as Value
const count = ({ counts }: Model, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1
}
const caller = (model: Model, { ticket, honest, pick }: Way) =>
  honest || pick(2) === 0 ? ticket.browser : oneOf(model.browsers, pick)
/** The number of an honest caller, or any. */
const wanted = ({ numbers }: Model, { honest, pick }: Way) =>
  honest || pick(2) === 0 ? (numbers[0] as string) : oneOf(numbers, pick)
const stage = ({ left }: Account) => (left === undefined ? 'none' : left > 0 ? 'waiting' : 'ready')

function runOut(account: Account): void {
  account.left = undefined
  for (const link of account.links) link.over = true
}

/** The recovery and every ticket to it are over. */
function end(model: Model, account: Account): void {
  runOut(account)
  for (const ticket of model.tickets) if (ticket.of === account) ticket.over = true
}

async function sent(model: Model, to: string, ticket: Ticket): Promise<void> {
  const value = await codeTo(to)
  const before = model.codes.get(to)
  const same = before?.ticket === ticket && !before.spent && before.value === value
  model.codes.set(to, { value, ticket, spent: false, tries: same ? before.tries : 0 })
}

/** The code that the caller enters: the newest to that receiver, one to another receiver, or a wrong one. */
function typed(model: Model, to: string, { honest, pick }: Way): string {
  const right = model.codes.get(to)?.value ?? '000000'
  if (honest || pick(3) > 0) return right
  const sentCodes = [...model.codes.values(), { value: right }]
  return pick(2) === 0 ? wrongCode(right) : oneOf(sentCodes, pick).value
}

/** Counts the try as the product must, and says whether it is a right one. */
function tried(model: Model, to: string, ticket: Ticket, value: string): Code | undefined {
  const code = model.codes.get(to)
  if (!code || code.ticket !== ticket || code.spent || code.tries >= 5) return undefined
  code.tries++
  return code.value === value ? code : undefined
}

/** The newest link of a notice that has been queued for the account. */
async function newestLink({ email }: Account): Promise<string> {
  const { rows } = await t.deps.pool.query(
    `SELECT substring(data->>'text' FROM '/recover/stop/([\\w-]{43})') AS token FROM pgboss.job
      WHERE name = 'mail-notice' AND data->>'to' = $1 AND data->>'text' LIKE '%/recover/stop/%' ORDER BY created_on DESC LIMIT 1`,
    [email],
  )
  return rows[0]?.token
}

const steps: Record<string, (model: Model, way: Way) => Promise<void>> = {
  async mail(model, way) {
    const { ticket } = way
    const browser = caller(model, way)
    await t.passMinute(site, ticket.of.email)
    const { status } = await browser.call(sendRecoveryEmailCode, { ticket: ticket.ticket })
    const passes = !ticket.over && browser === ticket.browser
    expect(status, model.log.join(' ')).toBe(passes ? 200 : 410)
    if (passes) await sent(model, ticket.of.email, ticket)
  },
  async prove(model, way) {
    const { ticket } = way
    const browser = caller(model, way)
    const code = typed(model, ticket.of.email, way)
    const { status, data } = await browser.call(proveRecovery, { ticket: ticket.ticket, code })
    const held = !ticket.over && browser === ticket.browser
    const right = held ? tried(model, ticket.of.email, ticket, code) : undefined
    expect(status === 200, model.log.join(' ')).toBe(right !== undefined)
    if (!right) return count(model, 'refused')
    right.spent = true
    ticket.proved = true
    expect(data?.stage, model.log.join(' ')).toBe(stage(ticket.of))
  },
  async start(model, way) {
    const { ticket } = way
    const browser = caller(model, way)
    const { status, data } = await browser.call(startRecovery, { ticket: ticket.ticket })
    const passes = !ticket.over && browser === ticket.browser && ticket.proved
    expect(status, model.log.join(' ')).toBe(passes ? 200 : 410)
    if (!passes) return count(model, 'refused')
    if (ticket.of.left === undefined) {
      ticket.of.left = 72
      ticket.of.links.push({ token: await newestLink(ticket.of), over: false })
    }
    expect(data?.stage, model.log.join(' ')).toBe(stage(ticket.of))
  },
  async wait(_model, { ticket: { of: account } }) {
    await pass(t, account.id, '36 hours')
    if (account.left !== undefined) account.left -= 36
    if ((account.left ?? 0) < -7 * 24) runOut(account)
  },
  async text(model, way) {
    const { ticket } = way
    const browser = caller(model, way)
    const mobile = wanted(model, way)
    await t.passMinute(site, `+86${mobile}`)
    const { status } = await browser.call(sendRecoveryMobileCode, { ticket: ticket.ticket, ...number(mobile) })
    const held = !ticket.over && browser === ticket.browser && ticket.proved
    expect(status, model.log.join(' ')).toBe(!held ? 410 : stage(ticket.of) === 'ready' ? 200 : 409)
    if (status === 200) await sent(model, mobile, ticket)
  },
  async finish(model, way) {
    const { ticket } = way
    const account = ticket.of
    const browser = caller(model, way)
    const mobile = wanted(model, way)
    const code = typed(model, mobile, way)
    const { status } = await browser.call(finishRecovery, { ticket: ticket.ticket, ...number(mobile), code })
    const ready = !ticket.over && browser === ticket.browser && ticket.proved && stage(account) === 'ready'
    const right = ready ? tried(model, mobile, ticket, code) : undefined
    const passes = right !== undefined && !model.accounts.some((other) => other.mobile === mobile)
    expect(status === 200, model.log.join(' ')).toBe(passes)
    count(model, passes ? 'finished' : 'refused')
    if (!passes || !right) return
    right.spent = true
    account.mobile = mobile
    end(model, account)
    model.numbers.unshift(fresh.mobile())
  },
  async cancel(model, { ticket: { of: account } }) {
    const { status } = await (await t.session(site, account.id)).call(cancelRecovery)
    expect(status, model.log.join(' ')).toBe(account.left === undefined ? 409 : 200)
    if (status === 200) end(model, account)
  },
  async stop(model, { ticket: { of: account }, pick }) {
    if (account.links.length === 0) return
    const link = oneOf(account.links, pick)
    const { status } = await oneOf(model.browsers, pick).call(stopNoticedRecovery, { token: link.token })
    expect(status, model.log.join(' ')).toBe(link.over ? 410 : 200)
    if (!link.over) end(model, account)
  },
  async expireTicket(_model, { ticket }) {
    const old = 'UPDATE recovery_ticket SET expires_at = now() WHERE user_id = $1 AND ticket_hash = sha256($2::bytea)'
    await t.deps.pool.query(old, [ticket.of.id, Buffer.from(ticket.ticket)])
    ticket.over = true
  },
  async runOut(model, { ticket: { of: account } }) {
    await pass(t, account.id, '30 days')
    runOut(account)
    count(model, 'ranOut')
  },
}

/** By either of the account's names, with the password or a wrong one. */
async function open(model: Model, pick: Pick): Promise<void> {
  // Several tickets to one account are what could be mixed up.
  const of = oneOf([...model.accounts, model.accounts[0] as Account], pick)
  const browser = oneOf(model.browsers, pick)
  const password = pick(4) === 0 ? 'Wrong#2026x' : of.password
  const { status, data } = await browser.call(openRecovery, { account: oneOf([of.username, of.email], pick), password })
  expect(status, model.log.join(' ')).toBe(password === of.password ? 200 : 400)
  if (data) model.tickets.push({ ticket: data.ticket, browser, of, proved: false, over: false })
}

/** What an honest caller would do next. */
function nextFor({ codes, numbers }: Model, ticket: Ticket): string {
  const asked = (to: string) => codes.get(to)?.ticket === ticket && !codes.get(to)?.spent
  if (!ticket.proved) return asked(ticket.of.email) ? 'prove' : 'mail'
  if (stage(ticket.of) === 'none') return 'start'
  if (stage(ticket.of) === 'waiting') return 'wait'
  return asked(numbers[0] as string) ? 'finish' : 'text'
}

async function walk(seed: number, length: number, counts: Record<string, number>): Promise<void> {
  const pick = random(seed)
  const accounts = [await t.user(site), await t.user(site)].map((user) => ({ ...user, links: [] }))
  const numbers = [fresh.mobile(), fresh.mobile(), ...accounts.map(({ mobile }) => mobile)]
  const browsers = [t.browser(site), t.browser(site)]
  const model: Model = { browsers, accounts, tickets: [], numbers, codes: new Map(), log: [`seed ${seed}:`], counts }
  const names = [...Object.keys(steps), 'prove', 'prove', 'prove', 'start', 'finish', 'finish', 'finish']
  for (let step = 0; step < length; step++) {
    const good = model.tickets.filter(({ over }) => !over)
    if (good.length === 0 || pick(6) === 0) {
      model.log.push('open')
      await open(model, pick)
      continue
    }
    // The valid order is tried often enough to be reached, invalid orders as often.
    const honest = pick(5) > 1
    const ticket = honest ? (good.at(-1) as Ticket) : oneOf(pick(2) === 0 ? model.tickets : good, pick)
    const name = honest ? nextFor(model, ticket) : oneOf(names, pick)
    model.log.push(`${name}${honest ? '' : '?'}${model.tickets.indexOf(ticket)}`)
    await steps[name]?.(model, { pick, honest, ticket })
  }
  for (const { id, mobile } of accounts) {
    const { rows } = await t.deps.pool.query('SELECT mobile FROM users WHERE id = $1', [id])
    expect(rows, model.log.join(' ')).toEqual([{ mobile }])
  }
}

const length = 40

test('A14 in no order of calls is a number replaced without password, mailed code, 72 hours and its own code, all by one ticket', async () => {
  const seeds = Array.from({ length: few(150, 10) }, (_, index) => index + 1)
  const counts: Record<string, number> = {}
  for (let from = 0; from < seeds.length; from += 5)
    await Promise.all(seeds.slice(from, from + 5).map((seed) => walk(seed, length, counts)))
  console.log(
    `A14: ${seeds.length} walks of ${length} calls over two accounts and two browsers on two processes: ${JSON.stringify(counts)}, all as the model says`,
  )
  for (const outcome of ['finished', 'refused', 'ranOut'])
    expect(counts[outcome], outcome).toBeGreaterThan(seeds.length / 4)
  figure('recovery: walks that went as the model says', seeds.length, ['=', seeds.length])
})
