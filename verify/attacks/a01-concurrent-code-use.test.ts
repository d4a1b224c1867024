import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { type CodeKind, codeKinds, type SentCode, unknownCodeCalls } from './codes.ts'

const rounds = few(100, 2)
const spenders = 200

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

async function sessions(): Promise<number> {
  const query = 'SELECT count(*)::int AS found FROM session WHERE site_id = $1'
  return (await t.deps.pool.query(query, [site.id])).rows[0].found
}

/** All concurrently, by the requesting browser or by it and others. */
async function spendAtOnce({ right, submit, stranger }: SentCode, others: number): Promise<string[]> {
  const strangers = await Promise.all(times(others, stranger))
  const browserOf = (index: number) => (index % 2 === 0 ? undefined : strangers[index % (others || 1)])
  const replies = await Promise.all(times(spenders, (index) => submit(right, browserOf(index))))
  return replies.map(({ code, status }) => code ?? String(status))
}

interface Round {
  answers: string[]
  begun: number
}

async function round(kind: CodeKind, others: number): Promise<Round> {
  const sent = await kind.ask(t, site)
  const before = await sessions()
  const answers = await spendAtOnce(sent, others)
  return { answers, begun: (await sessions()) - before - (kind.signsIn ? 0 : others) }
}

test.each(codeKinds)(
  'A01 of many correct submissions of one code ($name) at once, on two processes, exactly one succeeds',
  async (kind) => {
    const all: string[] = []
    let exactlyOne = 0
    let begun = 0
    for (let number = 0; number < rounds; number++) {
      // Every other round also uses other browsers.
      const { answers, begun: sessionsBegun } = await round(kind, number % 2 === 0 ? 0 : 10)
      all.push(...answers)
      if (answers.filter((answer) => answer === '200').length === 1) exactlyOne++
      begun += sessionsBegun
    }
    console.log(`A01: ${kind.name}, ${rounds} rounds × ${spenders} submissions: ${JSON.stringify(tally(all))}`)
    figure(`${kind.name}: rounds of ${spenders} at once with exactly one success`, exactlyOne, ['=', rounds])
    if (kind.signsIn) figure(`${kind.name}: sessions begun`, begun, ['=', rounds])
  },
)

test('A01 every call of the contract that sends or takes a code is covered', () => {
  figure('calls with a code left out', unknownCodeCalls().length, ['=', 0])
  expect(unknownCodeCalls()).toEqual([])
})
