import { loginByPassword } from '@hufu/contract/login'
import { closeAccount, keepAccount } from '@hufu/contract/personal-data'
import { openRecovery, proveRecovery } from '@hufu/contract/recovery'
import { checkScanRequest } from '@hufu/contract/scan-login'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailedCode, openTicket } from '../../apps/server/test/recovering.ts'
import { type TestSite, times, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { check, decide, hasSession, showCode } from '../harness/scan.ts'
import { askCheckCode, passCheck } from './checks.ts'

const wrong = few(1_000, 60)

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  // The product's own limits: a wide one would hide a lock-out.
  site = await t.codeSite({ limits: {} })
})
afterAll(() => t.close())

const report = (what: string, still: boolean) =>
  figure(`${what} after ${wrong} wrong tries of others`, still ? 1 : 0, ['=', 1])

const guessPasswords = (account: string) =>
  together(wrong, 50, () => t.browser(site).call(loginByPassword, { account, password: 'Wrong#2026x' }, freshAddress()))

test('A42 wrong codes in another session of the account do not block the step-up of its user', async () => {
  const user = await t.user(site)
  const [own, thief] = [await t.session(site, user.id), await t.session(site, user.id)]
  const code = await askCheckCode(t, site, own, user.mobile)
  await together(wrong, 50, () => thief.call(verifyTwoFactor, { code: wrongCode(code) }, freshAddress()))
  report('checks passed', (await own.call(verifyTwoFactor, { code })).status === 200)
})

test('A42 wrong passwords and codes of others do not block a recovery', async () => {
  const user = await t.user(site)
  const known = t.browser(site)
  const { username: account, password, email } = user
  expect((await known.call(loginByPassword, { account, password })).status).toBe(200)
  await together(wrong, 50, () =>
    t.browser(site).call(openRecovery, { account, password: 'Wrong#2026x' }, freshAddress()),
  )
  const ticket = await openTicket(known, account)
  const code = await mailedCode(t, site, known, ticket, email)
  // A caller with the ticket but without the browser has no attempts at all.
  await together(wrong, 50, () =>
    t.browser(site).call(proveRecovery, { ticket, code: wrongCode(code) }, freshAddress()),
  )
  report('recoveries proved', (await known.call(proveRecovery, { ticket, code })).status === 200)
})

test('A42 guesses at a request to sign in by scanning do not block the sign-in', async () => {
  const waiting = await showCode(t, site)
  const approver = await t.session(site, (await t.user(site, { password: undefined })).id)
  const strangers = await Promise.all(
    times(5, async () => t.session(site, (await t.user(site, { password: undefined })).id)),
  )
  await together(wrong, 50, async (index) => {
    const { id, time, ip } = waiting.request
    const thief = t.browser(site)
    thief.cookies.set(waiting.cookie, 'A'.repeat(43))
    await thief.call(checkScanRequest, { id, time, ip }, freshAddress())
    // Scanned with a time or an address that isn't its own, by others.
    const stranger = strangers[index % strangers.length]
    if (stranger) await decide(stranger, { ...waiting.request, time: time + 1 + index }, index % 2 === 0 ? 0 : 2)
  })
  for (const status of [0, 1] as const) await decide(approver, waiting.request, status)
  await check(waiting)
  report('sign-ins by scanning', hasSession(waiting.browser))
})

test('A42 wrong passwords of others do not block the return to an account that is due for erasure', async () => {
  const user = await t.user(site)
  const known = t.browser(site)
  const { username: account, password } = user
  expect((await known.call(loginByPassword, { account, password })).status).toBe(200)
  const own = await t.session(site, user.id)
  await passCheck(t, site, own, user.mobile)
  expect((await own.call(closeAccount)).status).toBe(200)
  await guessPasswords(account)
  const back = await known.call(loginByPassword, { account, password })
  report('closed accounts kept', back.status === 200 && (await known.call(keepAccount)).status === 200)
})
