import { loginByMobile } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite, wrongCode } from '../apps/server/test/test-app.ts'
import { askCode, type Browser, few, freshAddress, type Harness, number, openHarness } from './harness.ts'
import { tally, together } from './http.ts'

const guesses = few(10_000, 1_000)
const limit = 5

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

async function guessAtOnce(who: 'the browser that asked' | 'strangers') {
  const mobile = fresh.mobile()
  const asker = t.browser(site)
  const right = Number(await askCode(asker, mobile))
  const guess = (index: number) => String((right + 1 + index) % 1_000_000).padStart(6, '0')
  const browserOf = (): Browser => (who === 'strangers' ? t.browser(site) : asker)
  const replies = await together(guesses, 1_000, (index) =>
    browserOf().call(loginByMobile, { ...number(mobile), code: guess(index) }, freshAddress()),
  )
  const { rows } = await t.deps.pool.query(
    'SELECT own_tries + other_tries AS tries FROM code WHERE site_id = $1 AND receiver = $2',
    [site.id, `+86${mobile}`],
  )
  const counts = tally(replies.map(({ code, status }) => code ?? status))
  console.log(
    `A02: ${guesses} guesses at once by ${who}, ${counts.CODE_WRONG ?? 0} compared; ${JSON.stringify(counts)}`,
  )
  return { compared: counts.CODE_WRONG ?? 0, counted: rows[0].tries as number, answers: counts }
}

test.each(['the browser that asked', 'strangers'] as const)(
  'A02 guesses at one code at once by %s outrun no counter',
  async (who) => {
    const { compared, counted, answers } = await guessAtOnce(who)
    expect(compared).toBeLessThanOrEqual(limit)
    expect(counted).toBeLessThanOrEqual(limit)
    expect(
      Object.keys(answers).filter((name) => !['CODE_WRONG', 'CODE_TRIES_EXCEEDED', 'SERVICE_BUSY'].includes(name)),
    ).toEqual([])
    expect(answers.CODE_TRIES_EXCEEDED).toBeGreaterThan(guesses / 2)
  },
)

test('A02 asking again from other browsers brings no new tries at the same code', async () => {
  const mobile = fresh.mobile()
  const first = t.browser(site)
  const right = await askCode(first, mobile)
  const wrong = { ...number(mobile), code: wrongCode(right) }
  let compared = 0
  const guess = async (browser: Browser, times: number) => {
    for (let tried = 0; tried < times; tried++) {
      if ((await browser.call(loginByMobile, wrong, freshAddress())).code === 'CODE_WRONG') compared++
    }
  }
  await guess(first, limit - 1)
  // One try less than would bring a new code, then the same code again for the next browser.
  for (const tries of [limit - 1, limit + 1]) {
    await t.passMinute(site, `+86${mobile}`)
    const next = t.browser(site)
    if ((await askCode(next, mobile)) !== right) break
    await guess(next, tries)
  }
  console.log(`A02: one live code asked for by several browsers, ${compared} compared`)
  // Five for whoever asked and five for all others.
  expect(compared).toBeLessThanOrEqual(2 * limit)
})
