import { randomUUID } from 'node:crypto'
import {
  confirmFeedback,
  type FeedbackEntry,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  sendFeedback,
  setFeedbackStatus,
} from '@hufu/contract/feedback'
import {
  afterMove,
  type FeedbackFacts,
  type FeedbackMove,
  feedbackMoves,
  merchantMoves,
  nextStatus,
  picturesOnly,
} from '@hufu/contract/feedback-rules'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'

type TestUser = TestBrowser & { id: string }

let t: TestApp
let site: TestSite
let user: TestUser
let operators: TestUser[]
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  user = await t.signIn(site)
  operators = [await newOperator(), await newOperator()]
})
afterAll(() => t.close())

async function newOperator(): Promise<TestUser> {
  const own = await t.signIn(site)
  await makeOperator(t.deps, site.id, own.id, ['READ', 'WRITE'])
  return own
}

type Step =
  | { do: 'send'; by: 0 | 1; again: boolean; wordless: boolean }
  | { do: 'reply'; by: 0 | 1; again: boolean; wordless: boolean }
  | { do: 'confirm' }
  | { do: 'status'; by: 0 | 1; status: number }

const by = fc.constantFrom(0 as const, 1 as const)
const how = { by, again: fc.boolean(), wordless: fc.boolean() }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send' as const), ...how }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reply' as const), ...how }) },
  { weight: 1, arbitrary: fc.constant({ do: 'confirm' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('status' as const), by, status: fc.integer({ min: 0, max: 5 }) }),
  },
)

/** A message: words, or a picture alone, uploaded by its author. */
async function said({ id: author }: { id: string }, wordless: boolean, words: string) {
  if (!wordless) return { message: words }
  const picture = randomUUID()
  await t.deps.pool.query(
    `INSERT INTO feedback_picture (site_id, id, author_id, width, height, bytes) VALUES ($1, $2, $3, 1, 1, 'x')`,
    [site.id, picture, author],
  )
  return { message: '', pictures: [picture] }
}

interface Told {
  role: 'user' | 'merchant'
  message: string
  status?: number
}

/** The expected state of the conversation, by the table alone. */
interface Model {
  facts: FeedbackFacts
  entries: Told[]
}

function expected(
  model: Model,
  role: Told['role'],
  move: FeedbackMove | undefined,
  message: string,
): Model | undefined {
  const status = move && nextStatus(model.facts, move)
  if (!move || status === undefined) return undefined
  const entry = { role, message, ...(feedbackMoves[move].explicit && { status }) }
  return { facts: afterMove(model.facts, move, status, message === picturesOnly), entries: [...model.entries, entry] }
}

/** Makes one step for real and in the model, and compares the answers. */
async function make(step: Step, id: string, model: Model, words: string): Promise<Model> {
  const operator = operators[step.do === 'confirm' ? 0 : step.by] ?? user
  if (step.do === 'send' || step.do === 'reply') {
    const key = randomUUID()
    const author = step.do === 'send' ? user : operator
    const message = { id, key, ...(await said(author, step.wordless, words)) }
    const call = () => (step.do === 'send' ? user.call(sendFeedback, message) : operator.call(replyFeedback, message))
    const answers = await Promise.all(step.again ? [call(), call(), call()] : [call()])
    const role = step.do === 'send' ? 'user' : 'merchant'
    const move = step.do === 'send' ? 'userSends' : 'merchantReplies'
    const next = expected(model, role, move, step.wordless ? picturesOnly : words)
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => (next ? undefined : 'FEEDBACK_CLOSED')))
    return next ?? model
  }
  const move = step.do === 'confirm' ? 'userConfirms' : merchantMoves[step.status]
  const answer =
    step.do === 'confirm'
      ? await user.call(confirmFeedback, { id })
      : await operator.call(setFeedbackStatus, { id, status: step.status })
  const next = expected(model, step.do === 'confirm' ? 'user' : 'merchant', move, '')
  if (next) expect(answer.data?.status).toBe(next.facts.status)
  else expect(answer).toMatchObject({ code: 'FEEDBACK_STATUS_CONFLICT', details: { status: model.facts.status } })
  return next ?? model
}

async function seen(browser: TestBrowser, endpoint: typeof readFeedback | typeof readMerchantFeedback, id: string) {
  const { data } = await browser.call(endpoint, { id })
  if (!data) throw new Error('the conversation is gone')
  const { status, offered, userTexts, merchantTexts, content, lastSeq } = data
  const entries = JSON.parse(content) as FeedbackEntry[]
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1))
  const told = entries.map(({ role, message, status: set }) => ({
    role,
    message,
    ...(set !== undefined && { status: set }),
  }))
  return { facts: { status, offered, userTexts, merchantTexts }, entries: told }
}

/** A failure names it, and fast-check the path to the smallest walk. */
const seed = Number(process.env.FUZZ_SEED ?? 1)

test('in any order of moves by both sides, two operators and repeated sends the table explains status and history, alike on both sides', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const { data } = await user.call(sendFeedback, { message: '开始' })
      const id = data?.id ?? ''
      let model: Model = {
        facts: { status: 0, offered: false, userTexts: 1, merchantTexts: 0 },
        entries: [{ role: 'user', message: '开始' }],
      }
      for (const [index, each] of steps.entries()) model = await make(each, id, model, `第${index}步`)
      expect(await seen(user, readFeedback, id)).toEqual(model)
      expect(await seen(operators[1] ?? user, readMerchantFeedback, id)).toEqual(model)
    }),
    { numRuns: 60, seed },
  )
}, 60_000)

test('moves made at the same moment are some order of them: numbered without a gap, each allowed where it stands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const { data } = await user.call(sendFeedback, { message: '开始' })
      const id = data?.id ?? ''
      await Promise.all(
        steps.map(async (each, index) => {
          if (each.do === 'confirm') return await user.call(confirmFeedback, { id })
          const operator = operators[each.by] ?? user
          if (each.do === 'status') return await operator.call(setFeedbackStatus, { id, status: each.status })
          const author = each.do === 'send' ? user : operator
          const message = { id, ...(await said(author, each.wordless, `第${index}步`)) }
          return await author.call(each.do === 'send' ? sendFeedback : replyFeedback, message)
        }),
      )
      const { facts, entries } = await seen(user, readFeedback, id)
      let model: Model = {
        facts: { status: 0, offered: false, userTexts: 1, merchantTexts: 0 },
        entries: entries.slice(0, 1),
      }
      for (const { role, message, status } of entries.slice(1)) {
        const sends = role === 'user' ? 'userSends' : 'merchantReplies'
        const moves = role === 'user' ? 'userConfirms' : merchantMoves[status ?? -1]
        const next = expected(model, role, status === undefined ? sends : moves, message)
        expect(next).toBeDefined()
        model = next ?? model
      }
      expect(model).toEqual({ facts, entries })
    }),
    { numRuns: 60, seed },
  )
}, 60_000)
