import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite, times } from '../apps/server/test/test-app.ts'
import { askCode, freshAddress, type Harness, number, openHarness } from './harness.ts'
import { tally } from './http.ts'

const people = 20

/** With the product's own limits, none widened. */
let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ limits: {} })
})
afterAll(() => t.close())

test('A08 twenty people behind one address sign in by code at once', async () => {
  const address = freshAddress()
  const replies = await Promise.all(
    times(people, async () => {
      const browser = t.browser(site, { address })
      const mobile = fresh.mobile()
      return await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
    }),
  )
  console.log(
    `A08: ${people} sign-ins by code from one address; ${JSON.stringify(tally(replies.map(({ status }) => status)))}`,
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(people)
})

test('A08 twenty people behind one address sign in by password at once', async () => {
  const address = '198.51.100.77'
  const accounts = await Promise.all(times(people, () => t.person(site)))
  const replies = await Promise.all(
    accounts.map(({ email, password }) =>
      t.browser(site, { address }).call(loginByPassword, { account: email, password }),
    ),
  )
  console.log(
    `A08: ${people} sign-ins by password from one address; ${JSON.stringify(tally(replies.map(({ status }) => status)))}`,
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(people)
})
