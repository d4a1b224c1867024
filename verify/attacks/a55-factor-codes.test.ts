import { randomBytes } from 'node:crypto'
import { changePassword } from '@hufu/contract/account'
import { removeOtherDevices } from '@hufu/contract/devices'
import { loginByFactor, readFactorTicket } from '@hufu/contract/factors'
import { userInfo } from '@hufu/contract/profile'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeStatus } from '../../apps/server/src/features/users/users.service.ts'
import { newSecret, sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { stepAt, totpAt } from '../../apps/server/src/platform/crypto/totp.ts'
import { type TestSite, times, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, type CallResponse, few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { type ProtectedAccount, protectedAccount, signedOut, ticketOf, totpOf } from './protected-account.ts'

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  other = await t.codeSite()
})
afterAll(() => t.close())

interface Waiting {
  browser: Browser
  ticket: string
}

/** A browser that has given the first proof, without the cost of a password. */
async function atSecondStep({ id }: ProtectedAccount): Promise<Waiting> {
  const browser = t.browser(site)
  const [mark, ticket] = [randomBytes(16).toString('base64url'), newSecret()]
  browser.cookies.set('__Host-hufu-browser', mark)
  await t.deps.pool.query(
    `INSERT INTO factor_ticket (site_id, ticket_hash, user_id, browser_hash, method, expires_at)
      VALUES ($1, $2, $3, $4, 'password', now() + interval '10 minutes')`,
    [site.id, sha256(ticket), id, sha256(mark)],
  )
  return { browser, ticket }
}

type Proof = { totp: string } | { recovery: string }
type Use = (proof: Proof) => Promise<CallResponse<unknown>>

const signInBy =
  ({ browser, ticket }: Waiting): Use =>
  (proof) =>
    browser.call(loginByFactor, { ticket, ...proof }, freshAddress())
const stepUpBy =
  (browser: Browser): Use =>
  (proof) =>
    browser.call(verifyTwoFactor, proof, freshAddress())

/** Every way to use a code. */
const ways: [name: string, prepare: (victim: ProtectedAccount) => Promise<Use>][] = [
  ['sign-ins', async (victim) => signInBy(await atSecondStep(victim))],
  ['step-ups', async ({ id }) => stepUpBy(await t.session(site, id))],
]

const prepared = (victim: ProtectedAccount, count: number, prepare: (victim: ProtectedAccount) => Promise<Use>) =>
  Promise.all(times(count, () => prepare(victim)))

/** Guesses are counted but never too many: what decides is the code alone. */
const withoutPause = (id: string) =>
  t.deps.pool.query(
    `INSERT INTO factor_tries (site_id, user_id, known, tries) SELECT $1, $2, known, -1000 FROM unnest(ARRAY[true, false]) known
      ON CONFLICT (site_id, user_id, known) DO UPDATE SET tries = -1000, since = now()`,
    [site.id, id],
  )

/** Lets a day pass for the guesses. */
const nextDay = (id: string) =>
  t.deps.pool.query("UPDATE security_log SET at = at - interval '2 days' WHERE user_id = $1", [id])

/** Lets ten minutes pass for the guesses. */
const afterPause = (id: string) =>
  t.deps.pool.query("UPDATE factor_tries SET since = since - interval '11 minutes' WHERE user_id = $1", [id])

const codesOf = (answers: CallResponse<unknown>[]) => tally(answers.map(({ status, code }) => code ?? status))

test.each(ways)('A55 of 50 %s at once with one code of an authenticator one succeeds', async (name, prepare) => {
  const rounds = few(10, 1)
  let most = 0
  for (let round = 0; round < rounds; round++) {
    const victim = await protectedAccount(t, site)
    await withoutPause(victim.id)
    const step = stepAt(Date.now())
    const code = (at: number) => ({ totp: totpAt(victim.secret ?? Buffer.alloc(0), at) })
    const uses = await prepared(victim, 50, prepare)
    const answers = codesOf(await Promise.all(uses.map((use) => use(code(step)))))
    expect(answers).toEqual({ FACTOR_WRONG: 49, 200: 1 })
    most = Math.max(most, answers[200] ?? 0)
    // Nor later, nor one of the step before; the next one counts.
    await nextDay(victim.id)
    const [again, former, next] = await prepared(victim, 3, prepare)
    expect((await again?.(code(step)))?.code).toBe('FACTOR_WRONG')
    expect((await former?.(code(step - 1)))?.code).toBe('FACTOR_WRONG')
    expect((await next?.(code(step + 1)))?.status).toBe(200)
  }
  figure(`${name} by one code of an authenticator, of 50 at once in ${rounds} rounds`, most, ['=', 1])
})

test.each(ways)('A55 of 50 %s at once with one recovery code one succeeds', async (name, prepare) => {
  const victim = await protectedAccount(t, site)
  await withoutPause(victim.id)
  const [recovery = '', next = ''] = victim.recoveryCodes
  const uses = await prepared(victim, 50, prepare)
  const answers = codesOf(await Promise.all(uses.map((use) => use({ recovery }))))
  expect(answers).toEqual({ FACTOR_WRONG: 49, 200: 1 })
  await nextDay(victim.id)
  const [again, other] = await prepared(victim, 2, prepare)
  expect((await again?.({ recovery }))?.code).toBe('FACTOR_WRONG')
  expect((await other?.({ recovery: ` ${next.toLowerCase().replaceAll('-', ' ')}` }))?.status).toBe(200)
  figure(`${name} by one recovery code, of 50 at once`, answers[200] ?? 0, ['=', 1])
})

/** Wrong ones of both kinds in turn. */
const guess = ({ secret }: ProtectedAccount, index: number): Proof =>
  index % 2 === 0 ? { totp: wrongCode(totpOf(secret, 1)) } : { recovery: 'AAAA-BBBB-CCCC' }

test('A55 of 40 guesses at once from as many browsers five are compared, then all strangers wait', async () => {
  const victim = await protectedAccount(t, site)
  const strangers = await prepared(victim, 40, async (owner) => signInBy(await atSecondStep(owner)))
  const answers = await Promise.all(strangers.map((use, index) => use(guess(victim, index))))
  const codes = codesOf(answers)
  figure('guesses of 40 at once that were compared', codes.FACTOR_WRONG ?? 0, ['=', 5])
  figure('guesses that were not', codes.FACTOR_PAUSED ?? 0, ['=', 35])
  for (const { details } of answers.filter(({ code }) => code === 'FACTOR_PAUSED'))
    expect(details.retryAfter).toSatisfy((seconds: number) => seconds > 0 && seconds <= 600)
  // Not even the right one.
  const late = signInBy(await atSecondStep(victim))
  expect((await late({ totp: totpOf(victim.secret) })).code).toBe('FACTOR_PAUSED')
  // The owner's browser is not a stranger's, neither for signing in nor for a step-up.
  const known = signedOut(t, site, victim.browser)
  const entered = await signInBy({ browser: known, ticket: await ticketOf(known, victim) })({
    totp: totpOf(victim.secret),
  })
  expect(entered.status, entered.body).toBe(200)
  expect((await stepUpBy(victim.browser)({ recovery: victim.recoveryCodes[0] ?? '' })).status).toBe(200)
})

test('A55 of 40 guesses at once in a session five are compared', async () => {
  const victim = await protectedAccount(t, site)
  const uses = await prepared(victim, 40, async ({ id }) => stepUpBy(await t.session(site, id)))
  const codes = codesOf(await Promise.all(uses.map((use, index) => use(guess(victim, index)))))
  expect(codes).toEqual({ FACTOR_PAUSED: 35, FACTOR_WRONG: 5 })
  figure('guesses of 40 step-ups at once that were compared', codes.FACTOR_WRONG ?? 0, ['=', 5])
})

/** Guesses that were compared in a day by a thief who waits for each pause to end. */
async function comparedInDay(victim: ProtectedAccount, prepare: (victim: ProtectedAccount) => Promise<Use>) {
  let compared = 0
  for (let round = 0; round < 24; round++) {
    const uses = await prepared(victim, 6, prepare)
    const codes = codesOf(await Promise.all(uses.map((use, index) => use(guess(victim, index)))))
    if (!codes.FACTOR_WRONG) break
    compared += codes.FACTOR_WRONG
    await afterPause(victim.id)
  }
  return compared
}

test('A55 thieves who wait for each pause to end guess at most 50 times in a day, in a session 100 times', async () => {
  const [victim, robbed] = [await protectedAccount(t, site), await protectedAccount(t, site)]
  const strangers = await comparedInDay(victim, async (owner) => signInBy(await atSecondStep(owner)))
  figure('guesses of strangers that were compared in a day', strangers, ['<=', 55])
  const known = signedOut(t, site, victim.browser)
  const waiting = { browser: known, ticket: await ticketOf(known, victim) }
  const entered = await signInBy(waiting)({ totp: totpOf(victim.secret) })
  expect(entered.status, entered.body).toBe(200)
  const session = await t.session(site, robbed.id)
  const signedIn = await comparedInDay(robbed, async () => stepUpBy(session))
  figure('guesses in a session that were compared in a day', signedIn, ['<=', 105])
})

/** What is done to a ticket before its owner's right code is given, and by which browser that is. */
const tricks: Record<string, (victim: ProtectedAccount, waiting: Waiting) => Promise<Waiting & { totp?: string }>> = {
  'another browser': async (_victim, { ticket }) => ({ browser: t.browser(site), ticket }),
  'another site': async (_victim, { browser, ticket }) => {
    const there = t.browser(other)
    for (const [name, value] of browser.cookies) there.cookies.set(name, value)
    return { browser: there, ticket }
  },
  'a made-up one': async (_victim, { browser }) => ({ browser, ticket: newSecret() }),
  'its hash': async (_victim, { browser, ticket }) => ({ browser, ticket: sha256(ticket).toString('base64url') }),
  'ten minutes later': async (_victim, waiting) => {
    await t.deps.pool.query(
      "UPDATE factor_ticket SET expires_at = now() - interval '1 second' WHERE ticket_hash = $1",
      [sha256(waiting.ticket)],
    )
    return waiting
  },
  'used before': async ({ recoveryCodes: [recovery = ''] }, waiting) => {
    expect((await signInBy(waiting)({ recovery })).status).toBe(200)
    return waiting
  },
  'read too often': async (_victim, waiting) => {
    await Promise.all(
      times(60, () => waiting.browser.call(readFactorTicket, { ticket: waiting.ticket }, freshAddress())),
    )
    return waiting
  },
  'after a new password': async ({ browser }, waiting) => {
    expect((await browser.call(changePassword, { password: 'Neu#2026pass' })).status).toBe(200)
    return waiting
  },
  'after the account was disabled': async ({ id }, waiting) => {
    await changeStatus(t.deps, site.id, id, 'disabled', 'attack')
    return waiting
  },
  'after all others were signed out': async ({ browser }, waiting) => {
    expect((await browser.call(removeOtherDevices)).status).toBe(200)
    return waiting
  },
}

test.each(Object.entries(tricks))('A55 no ticket opens the account: %s', async (name, trick) => {
  const victim = await protectedAccount(t, site)
  const { browser, ticket } = await trick(victim, await atSecondStep(victim))
  for (const cookie of ['__Host-hufu', '__Host-hufu-in']) browser.cookies.delete(cookie)
  expect((await browser.call(readFactorTicket, { ticket }, freshAddress())).code, name).toBe('FACTOR_EXPIRED')
  const { code, status } = await signInBy({ browser, ticket })({ totp: totpOf(victim.secret, 1) })
  figure(`${name}: sign-ins`, Number(status === 200), ['=', 0])
  expect(code).toBe('FACTOR_EXPIRED')
  expect((await browser.call(userInfo)).status).not.toBe(200)
})

test('A55 a ticket is opened by factors of its own account alone', async () => {
  const [victim, thief] = [await protectedAccount(t, site), await protectedAccount(t, site, 'both')]
  const waiting = await atSecondStep(victim)
  expect((await signInBy(waiting)({ totp: totpOf(thief.secret) })).code).toBe('FACTOR_WRONG')
  expect((await signInBy(waiting)({ recovery: thief.recoveryCodes[0] ?? '' })).code).toBe('FACTOR_WRONG')
  const both = { totp: totpOf(victim.secret), recovery: victim.recoveryCodes[0] ?? '' }
  expect((await signInBy(waiting)(both)).code, 'two proofs at once').toBe('INPUT_INVALID')
  const none = await waiting.browser.call(loginByFactor, { ticket: waiting.ticket }, freshAddress())
  expect(none.code, 'none').toBe('INPUT_INVALID')
  const entered = await signInBy(waiting)({ totp: totpOf(victim.secret) })
  expect(entered.data, entered.body).toMatchObject({ id: victim.id })
})

test('A55 a thief with the password makes few tickets and doesn’t spoil the owner’s', async () => {
  const victim = await protectedAccount(t, site)
  const known = signedOut(t, site, victim.browser)
  const owners = { browser: known, ticket: await ticketOf(known, victim) }
  await Promise.all(times(60, () => atSecondStep(victim)))
  const flood = few(200, 10)
  for (let done = 0; done < flood; done += 10)
    await Promise.all(times(10, async () => await ticketOf(t.browser(site), victim)))
  const { rows } = await t.deps.pool.query('SELECT FROM factor_ticket WHERE user_id = $1', [victim.id])
  figure(`tickets of one account after ${60 + flood} sign-ins by a thief`, rows.length, ['<=', 61])
  const entered = await signInBy(owners)({ totp: totpOf(victim.secret) })
  figure('owners kept out by it', Number(entered.status !== 200), ['=', 0])
})
