import { loginByMobile } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite, times, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, few, freshAddress, type Harness, number, openHarness } from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'
import { type CodeKind, codeKinds, unknownCodeCalls } from './codes.ts'

const guesses = few(10_000, 120)
const limit = 5

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

async function countedTries({ purpose }: CodeKind, receiver: string): Promise<number> {
  const query =
    'SELECT own_tries + other_tries AS tries FROM code WHERE site_id = $1 AND receiver = $2 AND purpose = $3'
  return (await t.deps.pool.query(query, [site.id, receiver, purpose])).rows[0].tries
}

/** All allowed responses to a guess; a ticket is used up before a thousand guesses are. */
const refusals = ['CODE_WRONG', 'CODE_TRIES_EXCEEDED', 'LOGIN_CONFIRM_EXPIRED', 'RECOVERY_EXPIRED']

async function guessAtOnce(kind: CodeKind, byStrangers: boolean) {
  const sent = await kind.ask(t, site)
  const guess = (index: number) => String((Number(sent.right) + 1 + index) % 1_000_000).padStart(6, '0')
  const strangers = byStrangers ? await Promise.all(times(few(20, 4), sent.stranger)) : [sent.asker]
  const replies = await together(guesses, 1_000, (index) =>
    sent.submit(guess(index), strangers[index % strangers.length]),
  )
  const answers = tally(replies.map(({ code, status }) => code ?? status))
  const counted = await countedTries(kind, sent.receiver)
  console.log(`A02: ${kind.name}, ${guesses} guesses at once, ${counted} counted; ${JSON.stringify(answers)}`)
  expect(Object.keys(answers).filter((name) => !refusals.includes(name))).toEqual([])
  return { sent, counted, compared: Math.max(counted, answers.CODE_WRONG ?? 0) }
}

test.each(codeKinds)(
  'A02 concurrent guesses at one code ($name) by the requesting browser bypass no counter',
  async (kind) => {
    const { compared } = await guessAtOnce(kind, false)
    figure(`${kind.name}: compared of ${guesses} guesses at once`, compared, ['<=', limit])
  },
)

test.each(codeKinds)('A02 nor do guesses at it ($name) by strangers', async (kind) => {
  const { sent, compared, counted } = await guessAtOnce(kind, true)
  // A bound code is not compared for other browsers: to them it is wrong, as if there were none.
  const most = kind.bound ? 0 : limit
  figure(`${kind.name}: compared of ${guesses} guesses of strangers`, kind.bound ? counted : compared, ['<=', most])
  expect((await sent.submit(sent.right)).status, 'the requester is not locked out').toBe(200)
})

test('A02 every call of the contract that sends or takes a code is covered', () => {
  expect(unknownCodeCalls()).toEqual([])
})

test('A02 requesting again from other browsers gives no new attempts at the same code', async () => {
  const mobile = fresh.mobile()
  const first = t.browser(site)
  const right = await askCode(first, mobile)
  const wrong = { ...number(mobile), code: wrongCode(right) }
  let compared = 0
  const guess = async (browser: Browser, count: number) => {
    for (let tried = 0; tried < count; tried++) {
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
  // Five attempts for the requester and five for all others.
  figure('compared of one code that several browsers asked for', compared, ['<=', 2 * limit])
})
