import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@hufu/contract/endpoint'
import { beginPasskey, beginTotp, confirmTotp, removeFactors } from '@hufu/contract/factors'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { resetOperatorFactors } from '@hufu/contract/merchant-users'
import { finishFactorRecovery, startRecovery } from '@hufu/contract/recovery'
import { merchantHome } from '@hufu/contract/statistics'
import { sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { applyUndo, sendUndoCode } from '@hufu/contract/undo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertChange, listChanges, readSnapshot } from '../../apps/server/src/features/users/account-changes.store.ts'
import { grant } from '../../apps/server/src/features/users/users.service.ts'
import { newSecret } from '../../apps/server/src/platform/crypto/hash.ts'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { invalidateSessions } from '../../apps/server/src/shared/sessions/sessions.ts'
import { pass, provedTicket } from '../../apps/server/test/recovering.ts'
import { codeTo, sessionOf, type TestSite, times, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, codeSent, freshAddress, type Harness, number, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { passCheck } from './checks.ts'
import { files } from './files.ts'
import { guardedActions } from './guarded-actions.ts'
import { fromBase32, type ProtectedAccount, protect, protectedAccount, steppedUp, totpOf } from './protected-account.ts'
import { allEndpoints, bodyFor } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const all = ['READ', 'WRITE', 'ADMIN']
const makeAdmin = (id: UserId) => grant(t.deps, site.id, id, 'MERCHANT', all, 'attack')

/** An ADMIN whose factors were added through the public calls, in a session that has just proved one. */
async function admin(): Promise<ProtectedAccount> {
  const operator = await protectedAccount(t, site, 'both')
  await makeAdmin(operator.id)
  return operator
}

/** As if the factor had been proved so long ago. */
async function proved({ id, browser }: Pick<ProtectedAccount, 'id' | 'browser'>, ago: string): Promise<void> {
  await t.deps.pool.query('UPDATE session SET factor_at = now() - $2::interval, two_factor_at = now() WHERE id = $1', [
    sessionOf(browser),
    ago,
  ])
  await invalidateSessions(t.deps, site.id, id, [sessionOf(browser) as never])
}

const merchantCalls = allEndpoints.filter(({ access }) => access.startsWith('merchant'))
const merchantFiles = files.filter(({ access }) => access.startsWith('merchant'))

/** Every call and file of the back-office that wasn't refused with this code. */
async function answered(browser: Browser, refusal: string): Promise<string[]> {
  const found: string[] = []
  for (const endpoint of merchantCalls) {
    const { body, headers } = bodyFor(endpoint)
    const { code, status } = await browser.post(endpoint.path, body, { 'x-forwarded-for': freshAddress(), ...headers })
    if (code !== refusal) found.push(`${endpoint.path} ${status} ${code}`)
  }
  for (const { path } of merchantFiles) {
    const { status, body } = await browser.get(`${path}?id=${randomUUID()}`)
    if (status !== 403) found.push(`${path} ${status} ${body.slice(0, 80)}`)
  }
  return found
}

async function passing(browser: Browser, calls: [Endpoint, object][]): Promise<string[]> {
  const passed: string[] = []
  for (const [endpoint, input] of calls) {
    const { status, code } = await browser.post(endpoint.path, JSON.stringify(input))
    if (code !== 'TWO_FACTOR_REQUIRED') passed.push(`${endpoint.path} ${status} ${code ?? ''}`)
  }
  return passed
}

/** What a stolen phone proves: texted codes and the password that it has stored. */
async function stepUps({ browser, mobile, password }: ProtectedAccount): Promise<void> {
  await t.passMinute(site, `+86${mobile}`)
  const sent = await browser.call(sendTwoFactorMobileCode, {}, freshAddress())
  const code = sent.status === 200 ? await codeTo(mobile) : '000000'
  await browser.call(verifyTwoFactor, { code, way: 'mobile' }, freshAddress())
  await browser.call(verifyTwoFactor, { password }, freshAddress())
}

test('A43 a stolen SIM doesn’t sign in as an operator with a factor', async () => {
  const { mobile, username, password } = await admin()
  const thief = t.browser(site)
  const byCode = await thief.call(loginByMobile, { ...number(mobile), code: await askCode(thief, mobile) })
  expect(byCode.code).toBe('FACTOR_REQUIRED')
  expect(byCode.details.trust, 'no browser of an operator is trusted').toBe(false)
  expect((await thief.call(loginByPassword, { account: username, password })).code).toBe('FACTOR_REQUIRED')
  const passed = await answered(thief, 'NOT_LOGGED_IN')
  // A file answers 401.
  expect(passed.filter((line) => !line.includes(' 401 '))).toEqual([])
  figure('calls of the back-office tried with SIM and password', merchantCalls.length, ['>=', 30])
})

test('A43 a stolen phone that is signed in: nothing guarded after ten minutes, nothing at all after twelve hours', async () => {
  const [operator, second] = [await admin(), await t.user(site)]
  const calls = guardedActions(operator.id, second.id)
  const guarded: [Endpoint, object][] = [...calls, [resetOperatorFactors, { id: second.id, reason: 'x' }]]
  await proved(operator, '11 minutes')
  const early = await passing(operator.browser, guarded)
  await stepUps(operator)
  const steppedUpBy = await passing(operator.browser, guarded)
  await proved(operator, '12 hours 1 minute')
  await stepUps(operator)
  const late = await answered(operator.browser, 'TWO_FACTOR_REQUIRED')
  for (const line of [...early, ...steppedUpBy, ...late]) console.log(`A43: ${line}`)
  figure('guarded actions eleven minutes after the factor', early.length, ['=', 0])
  figure('guarded actions after step-ups by SMS and password', steppedUpBy.length, ['=', 0])
  figure('calls of the back-office twelve hours after the factor', late.length, ['=', 0])
  const { rows } = await t.deps.pool.query('SELECT FROM permission WHERE user_id = $1', [second.id])
  expect(rows).toEqual([])
  // The same session with the factor.
  const [recovery = ''] = operator.recoveryCodes
  expect((await operator.browser.call(verifyTwoFactor, { recovery })).status).toBe(200)
  expect((await operator.browser.call(merchantHome)).status).toBe(200)
})

test('A43 without a factor an operator’s account opens nothing of the back-office, by whatever proofs', async () => {
  const operator = await t.user(site)
  await makeAdmin(operator.id)
  const browser = await t.session(site, operator.id)
  await passCheck(t, site, browser, operator.mobile)
  const passed = await answered(browser, 'FACTOR_ENROL_REQUIRED')
  expect(passed).toEqual([])
  figure('calls of the back-office by an operator without a factor', passed.length, ['=', 0])
})

/** A thief who tries to add a factor of their own with this enrolment code. */
async function enrols(browser: Browser, enrolment?: string): Promise<string> {
  const given = enrolment === undefined ? {} : { enrolment }
  const passkey = await browser.call(beginPasskey, given, freshAddress())
  const totp = await browser.call(beginTotp, given, freshAddress())
  const codes = [passkey, totp].map(({ status, code }) => code ?? String(status))
  expect(codes[0]).toBe(codes[1])
  return codes[0] ?? ''
}

async function bySim(mobile: string): Promise<Browser> {
  const thief = t.browser(site)
  await t.passMinute(site, `+86${mobile}`)
  const { status, body } = await thief.call(loginByMobile, { ...number(mobile), code: await askCode(thief, mobile) })
  expect(status, body).toBe(200)
  await passCheck(t, site, thief, mobile)
  return thief
}

test('A43 the SIM of an operator without a factor doesn’t add one', async () => {
  const withPassword = await t.user(site)
  const numberAlone = await t.user(site, { password: undefined, email: undefined, username: undefined })
  const outcomes: string[] = []
  for (const { id, mobile } of [withPassword, numberAlone]) {
    await makeAdmin(id)
    outcomes.push(await enrols(await bySim(mobile)))
  }
  expect(outcomes).toEqual(['TWO_FACTOR_REQUIRED', 'ENROLMENT_REQUIRED'])
  figure('operators whose SIM alone adds a factor', outcomes.filter((code) => code === '200').length, ['=', 0])
})

/** An operator whose factors were reset by another, and the thief who has the SIM and the password. */
async function afterReset() {
  const [operator, other] = [await admin(), await admin()]
  const reset = await other.browser.call(resetOperatorFactors, { id: operator.id, reason: '手机丢失' })
  expect(reset.status, reset.body).toBe(200)
  expect((await operator.browser.call(merchantHome)).code).toBe('SESSION_REMOVED')
  const thief = await bySim(operator.mobile)
  await steppedUp(t, thief)
  return { operator, other, thief, enrolment: reset.data?.enrolment ?? '' }
}

test('A43 after a reset SIM and password add no factor without the code, and five guesses at it are compared', async () => {
  const { operator, other, thief, enrolment } = await afterReset()
  expect(await enrols(thief)).toBe('ENROLMENT_REQUIRED')
  expect((await answered(thief, 'FACTOR_ENROL_REQUIRED')).length).toBe(0)
  // The code of another operator's reset.
  const elsewhere = await admin()
  const foreign = await other.browser.call(resetOperatorFactors, { id: elsewhere.id, reason: 'x' })
  expect(await enrols(thief, foreign.data?.enrolment)).toBe('FACTOR_WRONG')
  const guesses = await Promise.all(
    times(40, () => thief.call(beginTotp, { enrolment: 'AAAA-BBBB-CCCC' }, freshAddress())),
  )
  const codes = tally(guesses.map(({ code, status }) => code ?? status))
  figure('guesses of the code that were compared, of 42', (codes.FACTOR_WRONG ?? 0) + 2, ['=', 5])
  await t.deps.pool.query('DELETE FROM factor_tries WHERE user_id = $1', [operator.id])
  await t.deps.pool.query("UPDATE enrolment_ticket SET expires_at = now() - interval '1 second' WHERE user_id = $1", [
    operator.id,
  ])
  expect(await enrols(thief, enrolment), '15 minutes later').toBe('FACTOR_WRONG')
  expect(await enrols(thief), 'and still one is needed').toBe('ENROLMENT_REQUIRED')
})

test('A43 the code of a reset adds one factor, together with a code of it, and is void then', async () => {
  const { operator, thief: owner, enrolment } = await afterReset()
  const begun = await owner.call(beginTotp, { enrolment }, freshAddress())
  const totp = totpOf(fromBase32(begun.data?.secret ?? ''))
  const confirm = (input: { totp: string; enrolment?: string }) => owner.call(confirmTotp, input, freshAddress())
  expect((await confirm({ totp })).code).toBe('ENROLMENT_REQUIRED')
  expect((await confirm({ totp: wrongCode(totp), enrolment })).code).toBe('FACTOR_WRONG')
  expect((await confirm({ totp, enrolment })).status).toBe(200)
  const { rows } = await t.deps.pool.query('SELECT FROM enrolment_ticket WHERE user_id = $1', [operator.id])
  figure('codes of a reset that are left after the enrolment', rows.length, ['=', 0])
  const thief = t.browser(site)
  await t.passMinute(site, `+86${operator.mobile}`)
  const code = await askCode(thief, operator.mobile)
  expect((await thief.call(loginByMobile, { ...number(operator.mobile), code })).code).toBe('FACTOR_REQUIRED')
})

test('A43 nor by the recovery with password and mailbox, nor by removing the last factor', async () => {
  const operator = await admin()
  const browser = t.browser(site)
  const { ticket } = await provedTicket(t, site, browser, operator)
  expect((await browser.call(startRecovery, { ticket, purpose: 'factor' })).code).toBe('RECOVERY_CONTACT')
  await browser.call(startRecovery, { ticket, purpose: 'mobile' })
  await pass(t, operator.id, '72 hours')
  const finished = await browser.call(finishFactorRecovery, { ticket })
  figure('operators’ factors removed by the recovery', Number(finished.status === 200), ['=', 0])
  expect((await operator.browser.call(removeFactors)).code).toBe('FACTOR_LAST')
  const own = await operator.browser.call(resetOperatorFactors, { id: operator.id, reason: 'x' })
  expect(own.code, 'not on oneself').not.toBe(undefined)
  const { rows } = await t.deps.pool.query('SELECT protected FROM users WHERE id = $1', [operator.id])
  expect(rows).toEqual([{ protected: true }])
})

test('A43 nor by the link of a notice with SIM and mailbox: after it only a code of another ADMIN enrols', async () => {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  const token = newSecret()
  const before = await readSnapshot(t.deps.db, site.id, user.id)
  await insertChange(t.deps.db, site.id, user.id, { kind: 'username', ...before, token })
  const [change] = await listChanges(t.deps.db, site.id, user.id)
  await protect(t, site, browser, 'totp')
  await makeAdmin(user.id)
  const thief = t.browser(site)
  const link = { token, from: change?.id ?? '' }
  const code = await codeSent(await thief.call(sendUndoCode, link), user.mobile)
  const newPassword = 'Dieb#2026pass'
  const undone = await thief.call(applyUndo, { ...link, code, newPassword })
  expect(undone.status, undone.body).toBe(200)
  const entered = await thief.call(loginByPassword, { account: user.username, password: newPassword })
  expect(entered.status, entered.body).toBe(200)
  await passCheck(t, site, thief, user.mobile)
  const outcome = await enrols(thief)
  figure('operators whom SIM and mailbox enrol anew', Number(outcome === '200'), ['=', 0])
  expect(outcome).toBe('ENROLMENT_REQUIRED')
})
