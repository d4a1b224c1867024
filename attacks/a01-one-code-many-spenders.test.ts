import { loginByMobile } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite, times } from '../apps/server/test/test-app.ts'
import { askCode, few, freshAddress, type Harness, number, openHarness } from './harness.ts'
import { tally } from './http.ts'

const rounds = few(100, 10)
const spenders = 200

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

test('A01 of many correct submissions of one code at once, on two processes, exactly one succeeds', async () => {
  const successes: number[] = []
  const codes: (string | undefined)[] = []
  for (let round = 0; round < rounds; round++) {
    const mobile = fresh.mobile()
    const browser = t.browser(site)
    const login = { ...number(mobile), code: await askCode(browser, mobile) }
    // Every other round the spenders are browsers of their own.
    const spend = () => (round % 2 === 0 ? browser : t.browser(site)).call(loginByMobile, login, freshAddress())
    const replies = await Promise.all(times(spenders, spend))
    codes.push(...replies.map(({ code, status }) => code ?? String(status)))
    successes.push(replies.filter(({ status }) => status === 200).length)
  }
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS sessions FROM session WHERE site_id = $1', [
    site.id,
  ])
  console.log(
    `A01: ${rounds} rounds × ${spenders} submissions, ${successes.reduce((a, b) => a + b)} successes; ${JSON.stringify(tally(codes))}`,
  )
  expect(successes).toEqual(times(rounds, () => 1))
  expect(rows[0].sessions).toBe(rounds)
})
