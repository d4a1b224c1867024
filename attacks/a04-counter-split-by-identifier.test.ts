import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { askCode, type Harness, number, openHarness } from './harness.ts'
import { tally } from './http.ts'

/** Wrong passwords that are compared for one account within 15 minutes, however it is named. */
const limit = 10

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

test('A04 all names and spellings of an account share one budget', async () => {
  const person = await t.person(site)
  const names = spellings(person)
  const codes: (string | undefined)[] = []
  for (let tried = 0; tried < 60; tried++) {
    const account = names[tried % names.length] ?? ''
    codes.push((await t.browser(site).call(loginByPassword, { account, password: 'Wrong#2026x' })).code)
  }
  const counts = tally(codes)
  console.log(
    `A04: 60 wrong passwords over ${names.length} names, ${counts.LOGIN_FAILED} compared; ${JSON.stringify(counts)}`,
  )
  expect(counts.LOGIN_FAILED).toBe(limit)
})

test('A04 a password asked to confirm a sign-in counts on the same budget', async () => {
  const person = await t.person(site)
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [person.id])
  const browser = t.browser(site)
  const login = { ...number(person.mobile), code: await askCode(browser, person.mobile) }
  const { ticket } = (await browser.call(loginByMobile, login)).details
  const codes: (string | undefined)[] = []
  for (let tried = 0; tried < limit; tried++) {
    codes.push((await t.browser(site).call(loginByPassword, { account: person.email, password: 'Wrong#2026x' })).code)
  }
  for (let tried = 0; tried < limit; tried++) {
    codes.push((await browser.call(confirmLogin, { ticket, mine: true, password: 'Wrong#2026x' })).code)
  }
  const counts = tally(codes)
  console.log(`A04: 10 wrong passwords at the door and 10 at the confirmation, ${counts.LOGIN_FAILED} compared`)
  expect(counts.LOGIN_FAILED).toBe(limit)
})
