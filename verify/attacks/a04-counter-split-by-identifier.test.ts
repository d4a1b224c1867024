import { changePassword } from '@hufu/contract/account'
import type { Endpoint } from '@hufu/contract/endpoint'
import { confirmLogin, loginByPassword } from '@hufu/contract/login'
import { openRecovery } from '@hufu/contract/recovery'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { applyUndo } from '@hufu/contract/undo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { confirmTicket } from './codes.ts'
import { allEndpoints, fieldsOf } from './samples.ts'

/** Wrong passwords that are compared for one account within 15 minutes, however it is named and wherever they are typed. */
const limit = 10
const wrong = 'Wrong#2026x'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const wide = (text: string) =>
  [...text].map((c) => (/[!-~]/.test(c) ? String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0) : c)).join('')

const spellings = ({ mobile, email, username }: { mobile: string; email: string; username: string }) => [
  username,
  email,
  mobile,
  username.toUpperCase(),
  ` ${email.toUpperCase()} `,
  `+86${mobile}`,
  `0086 ${mobile}`,
  wide(username),
  wide(mobile),
  `${mobile.slice(0, 3)}-${mobile.slice(3, 7)}-${mobile.slice(7)}`,
]

/** Responses that show that a password was compared. */
const compared = (codes: (string | undefined)[]): number => {
  const { LOGIN_FAILED = 0, PASSWORD_WRONG = 0 } = tally(codes)
  return LOGIN_FAILED + PASSWORD_WRONG
}

/** Every call that compares the password of an account. */
const ways: readonly Endpoint[] = [loginByPassword, openRecovery, confirmLogin, verifyTwoFactor, applyUndo]

test('A04 every call of the contract that takes a password is covered, except the one that sets a new one', () => {
  const takers = allEndpoints.filter((endpoint) => fieldsOf(endpoint).includes('password'))
  const known = [...ways, changePassword].map(({ path }) => path)
  expect(takers.map(({ path }) => path).sort()).toEqual(known.sort())
})

test.each([
  ['signing in', [loginByPassword]],
  ['the way back to an account', [openRecovery]],
  ['both by turns', [loginByPassword, openRecovery]],
] as const)('A04 all names and spellings of an account share one budget: %s', async (name, entryPoints) => {
  const user = await t.user(site)
  const names = spellings(user)
  const codes: (string | undefined)[] = []
  for (let tried = 0; tried < 60; tried++) {
    const account = names[tried % names.length] ?? ''
    const entryPoint = entryPoints[Math.floor(tried / names.length) % entryPoints.length] ?? loginByPassword
    codes.push((await t.browser(site).call(entryPoint, { account, password: wrong })).code)
  }
  console.log(`A04: ${name}, 60 wrong passwords over ${names.length} names: ${JSON.stringify(tally(codes))}`)
  figure(`${name}: compared of 60 wrong passwords over ${names.length} names`, compared(codes), ['=', limit])
})

test('A04 strangers have one budget for sign-in, confirmation and recovery', async () => {
  const user = await t.user(site)
  const browser = t.browser(site)
  const ticket = await confirmTicket(t, browser, user.id, user.mobile)
  const tries = [
    () => t.browser(site).call(loginByPassword, { account: user.email, password: wrong }),
    () => browser.call(confirmLogin, { ticket, mine: true, password: wrong }),
    () => t.browser(site).call(openRecovery, { account: user.username, password: wrong }),
  ]
  const codes: (string | undefined)[] = []
  for (let tried = 0; tried < 36; tried++) codes.push((await tries[tried % tries.length]?.())?.code)
  console.log(`A04: 36 wrong passwords of strangers at three calls: ${JSON.stringify(tally(codes))}`)
  figure('compared of 36 wrong passwords of strangers at three calls', compared(codes), ['=', limit])
})

test('A04 a known browser has one budget for signing in and for the step-up', async () => {
  const { id, email } = await t.user(site)
  const browser = await t.session(site, id)
  const codes: (string | undefined)[] = []
  for (let tried = 0; tried < 15; tried++) {
    codes.push((await browser.call(verifyTwoFactor, { password: wrong })).code)
    codes.push((await browser.call(loginByPassword, { account: email, password: wrong })).code)
  }
  console.log(`A04: 30 wrong passwords of a known browser at two calls: ${JSON.stringify(tally(codes))}`)
  figure('compared of 30 wrong passwords of a known browser at two calls', compared(codes), ['=', limit])
})
