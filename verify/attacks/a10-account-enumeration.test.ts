import type { Endpoint, InputOf } from '@hufu/contract/endpoint'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { finishRecovery, openRecovery, sendRecoveryMobileCode } from '@hufu/contract/recovery'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import { decoyOf } from '../../apps/server/src/platform/crypto/imported-hash.ts'
import { readyTicket } from '../../apps/server/test/recovering.ts'
import { fresh, type TestSite, wideLimits } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type CallResponse, few, freshAddress, type Harness, number, openHarness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { byChance, inAnyOrder, signTest } from '../harness/timing.ts'
import { allEndpoints, fieldsOf } from './samples.ts'

const samples = few(2_000, 40)
const limits = { ...wideLimits, passwordFailures: 1_000_000 }
let t: Harness
let open: TestSite
let closed: TestSite
let known: string[]
let unknown: string[]
beforeAll(async () => {
  t = await openHarness()
  open = await t.codeSite({ limits })
  closed = await t.codeSite({ limits, registration: 'closed' })
  known = [...new Set(Array.from({ length: samples }, fresh.mobile))]
  unknown = [...new Set(Array.from({ length: samples }, fresh.mobile))]
  for (const site of [open, closed]) {
    await together(known.length, 8, (index) => createUser(t.deps, site.id, { mobile: known[index] }, 'attack'))
  }
}, 120_000)
afterAll(() => t.close())

/** Of a challenge only how hard it is; of the wait nothing: it gets shorter from one answer to the next. */
const steady = (body: string) =>
  body.replace(/"challenge":.*"level":(\d).*$/, '"challenge of level $1"').replace(/"retryAfter":\d+/, '"retryAfter"')

/** What a response shows besides its time; the request id and the mark of a new browser show nothing. */
const look = ({ status, body, headers }: { status: number; body: string; headers: object }) =>
  JSON.stringify([status, steady(body), Object.keys(headers).sort()])

type Asked<E extends Endpoint> = { known: InputOf<E>[]; unknown: InputOf<E>[] }
type Caller = <E extends Endpoint>(endpoint: E, input: InputOf<E> | undefined) => Promise<CallResponse<unknown>>

/** A browser of its own for each call, at one process. */
const newVisitor =
  (site: TestSite): Caller =>
  (endpoint, input) =>
    t.browser(site, { urls: inject('apiUrls').slice(0, 1) }).call(endpoint, input)

interface Turns {
  count?: number
  call?: Caller
  /** The response to both kinds. */
  answer?: RegExp
  /** Restores the state of the site before each pair. */
  before?: () => Promise<unknown>
}

/** What no budget refuses. */
const usual = /^\[(200,|400,"\{\\"code\\":\\"(CODE_WRONG|LOGIN_FAILED))/

/** Asks for known and unknown in pairs, one at a time, and never repeats a failed measurement. */
async function expectIndistinguishable<E extends Endpoint>(
  name: string,
  site: TestSite,
  endpoint: E,
  inputs: Asked<E>,
  { count = samples, call = newVisitor(site), answer = usual, before = async () => {} }: Turns = {},
) {
  // What an earlier test sent mustn't make this one a refusal.
  await t.deps.pool.query('UPDATE receiver SET last_sent_at = NULL WHERE site_id = $1', [site.id])
  const pairs = []
  const looks = new Set<string>()
  for (let warm = 0; warm < 20; warm++) await t.browser(site).post(endpoint.path, '[]')
  for (let index = 0; index < count; index++) {
    await before()
    const ms = { known: 0, unknown: 0 }
    for (const kind of inAnyOrder('known' as const, 'unknown' as const)) {
      const reply = await call(endpoint, inputs[kind][index % inputs[kind].length])
      ms[kind] = reply.ms
      looks.add(look(reply))
    }
    pairs.push({ one: ms.known, other: ms.unknown })
  }
  const { deviations, summary } = signTest(pairs)
  console.log(`A10: ${name}: ${summary}`)
  expect([...looks][0]).toMatch(answer)
  figure(`${name}: kinds of answer to ${count} known and ${count} unknown`, looks.size, ['=', 1])
  figure(`${name}: sign test of ${count} pairs of times, in deviations`, deviations, ['<=', byChance])
}

const of = <Input>(make: (mobile: string) => Input) => ({ known: known.map(make), unknown: unknown.map(make) })

test('A10 requesting a code discloses nothing, registration open', () =>
  expectIndistinguishable('asking for a code', open, sendMobileCode, of(number)))

test('A10 requesting a code discloses nothing, registration closed', () =>
  expectIndistinguishable('asking for a code, registration closed', closed, sendMobileCode, of(number)))

const refused = (code: string) => new RegExp(`^\\[4\\d\\d,"\\{\\\\"code\\\\":\\\\"${code}`)

/** Of a hundred SMS seventy are open to unknown visitors; so many were sent. */
const booked = (site: TestSite, sent: number) => () => t.deps.cache.set(`{code:${site.id}:p:86}`, sent, 'EX', 86_400)

test.each([
  ['spent', 70, 'CODE_SEND_LIMITED'],
  ['half spent', 49, 'PROOF_REQUIRED'],
])(
  'A10 D115 requesting a code discloses nothing with a budget that is %s, registration open and closed',
  async (state, sent, code) => {
    const site = await t.codeSite({ limits: { ...limits, prefixDay: 100 } })
    const shut = await t.codeSite({ limits: { ...limits, prefixDay: 100 }, registration: 'closed' })
    for (const own of [site, shut]) {
      await together(known.length, 8, (index) => createUser(t.deps, own.id, { mobile: known[index] }, 'attack'))
      const turns = { count: samples / 2, answer: refused(code), before: booked(own, sent) }
      const how = own === shut ? ', registration closed' : ''
      await expectIndistinguishable(`asking for a code, budget ${state}${how}`, own, sendMobileCode, of(number), turns)
    }
  },
)

const wrongCodes = () => of((mobile) => ({ ...number(mobile), code: '000000' }))

test('A10 a wrong code discloses nothing', () => {
  // So many wrong codes would require a proof of work, which is another response.
  const before = () => t.deps.cache.del(`{wrong:${open.id}}`)
  return expectIndistinguishable('a wrong code', open, loginByMobile, wrongCodes(), { before })
})

test('A10 D115 a wrong code discloses nothing while many are guessed', async () => {
  const site = await t.codeSite({ limits: { ...limits, wrongCodesHour: 0 } })
  await together(known.length, 8, (index) => createUser(t.deps, site.id, { mobile: known[index] }, 'attack'))
  const before = () => t.deps.cache.del(`{wrong:${site.id}}`)
  const turns = { count: samples / 2, answer: refused('PROOF_REQUIRED'), before }
  await expectIndistinguishable('a wrong code while many are guessed', site, loginByMobile, wrongCodes(), turns)
})

test.each([
  ['signing in', loginByPassword],
  ['the way back', openRecovery],
] as const)('A10 a wrong password discloses nothing: %s', async (what, endpoint) => {
  const users = await together(20, 4, () => t.user(open))
  const wrong = (account: string) => ({ account, password: 'Wrong#2026x' })
  const inputs = {
    known: users.map(({ username }) => wrong(username)),
    unknown: users.map(() => wrong(fresh.username())),
  }
  // Hashing takes its time: two thousand samples in all.
  await expectIndistinguishable(`a wrong password, ${what}`, open, endpoint, inputs, { count: samples / 2 })
})

test('A10 D483 a wrong password discloses nothing where hashes of another system were imported', async () => {
  const site = await t.codeSite({ limits })
  const users = await together(20, 4, () => t.user(site))
  // Several times slower than our own.
  const form = 'bcrypt 10'
  const theirs = 'UPDATE credential SET secret = $2, imported_form = $3 WHERE site_id = $1'
  await t.deps.pool.query(theirs, [site.id, decoyOf(form), form])
  const shares = "INSERT INTO password_form (site_id, form, count) VALUES ($1, '', 20), ($1, $2, 20)"
  await t.deps.pool.query(shares, [site.id, form])
  const wrong = (account: string) => ({ account, password: 'Wrong#2026x' })
  const inputs = {
    known: users.map(({ username }) => wrong(username)),
    unknown: users.map(() => wrong(fresh.username())),
  }
  const turns = { count: samples / 4 }
  await expectIndistinguishable('a wrong password, imported hashes', site, loginByPassword, inputs, turns)
})

/** A recovery that may set a new number asks whether the number is taken: a ticket that never expires or runs out of attempts. */
async function recovering(): Promise<{ ticket: string; call: Caller }> {
  const browser = t.browser(open, { urls: inject('apiUrls').slice(0, 1) })
  const ticket = await readyTicket(t, open, browser, await t.user(open))
  const renew = "UPDATE recovery_ticket SET tries = 0, expires_at = now() + interval '10 minutes' WHERE site_id = $1"
  const call: Caller = async (endpoint, input) => {
    await t.deps.pool.query(renew, [open.id])
    return await browser.call(endpoint, input, freshAddress())
  }
  return { ticket, call }
}

test('A10 a new number of a recovery discloses nothing, on request and with a wrong code', async () => {
  const { ticket, call } = await recovering()
  const some = { count: samples / 2, call }
  const wanted = of((mobile) => ({ ...number(mobile), ticket }))
  await expectIndistinguishable('a new number of a recovery', open, sendRecoveryMobileCode, wanted, some)
  const wrong = of((mobile) => ({ ...number(mobile), ticket, code: '000000' }))
  await expectIndistinguishable('a wrong code of a recovery', open, finishRecovery, wrong, some)
})

test('A10 every public call of the contract that names an account is covered', () => {
  const naming = allEndpoints.filter(
    (endpoint) =>
      endpoint.access === 'public' &&
      fieldsOf(endpoint).some((field) => ['mobile', 'email', 'username', 'account'].includes(field)),
  )
  const asked = [sendMobileCode, loginByMobile, loginByPassword, openRecovery, sendRecoveryMobileCode, finishRecovery]
  expect(naming.map(({ path }) => path).sort()).toEqual(asked.map(({ path }) => path).sort())
})
