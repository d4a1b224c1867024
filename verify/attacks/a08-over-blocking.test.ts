import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { checkScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { afterAll, beforeAll, test } from 'vitest'
import { fresh, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, freshAddress, type Harness, number, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { hasSession, showCode } from '../harness/scan.ts'

const users = 20

/** With the product's own limits, none widened. */
let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ limits: {} })
})
afterAll(() => t.close())

function report(how: string, replies: { status: number; code: string | undefined }[]): void {
  console.log(`A08: ${how}: ${JSON.stringify(tally(replies.map(({ status, code }) => code ?? status)))}`)
  const passed = replies.filter(({ status }) => status === 200).length
  figure(`${how}: of ${users} at once from one address succeed`, passed, ['=', users])
}

test('A08 twenty users behind one address sign in by code at once', async () => {
  const address = freshAddress()
  const replies = await Promise.all(
    times(users, async () => {
      const browser = t.browser(site, { address })
      const mobile = fresh.mobile()
      return await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
    }),
  )
  report('by code', replies)
})

test('A08 twenty users behind one address sign in by password at once', async () => {
  const address = '198.51.100.77'
  const accounts = await Promise.all(times(users, () => t.user(site)))
  const replies = await Promise.all(
    accounts.map(({ email, password }) =>
      t.browser(site, { address }).call(loginByPassword, { account: email, password }),
    ),
  )
  report('by password', replies)
})

test('A08 twenty users behind one address sign in by scan at once, phones and screens alike', async () => {
  const address = freshAddress()
  const accounts = await Promise.all(times(users, () => t.user(site, { password: undefined })))
  const replies = await Promise.all(
    accounts.map(async ({ id }) => {
      const phone = await t.session(site, id, { address })
      const { browser, request } = await showCode(t, site, { address })
      for (const status of [0, 1] as const) await phone.call(processScanRequest, { ...request, status })
      const answer = await browser.call(checkScanRequest, request)
      return hasSession(browser) ? answer : { status: 401, code: answer.code }
    }),
  )
  report('by scan', replies)
})
