import { randomUUID } from 'node:crypto'
import {
  confirmFeedback,
  listFeedback,
  listMerchantFeedback,
  rateFeedback,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  sendFeedback,
  setFeedbackStatus,
} from '@hufu/contract/feedback'
import { ratingWordsMost } from '@hufu/contract/feedback-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperator, type Operator } from '../../../test/operator.ts'
import { held, lockedOut } from '../../../test/race.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let operator: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  operator = await newOperator(t, site, ['READ', 'WRITE'])
})
afterAll(() => t.close())

interface Talk {
  user: TestBrowser
  id: string
}

async function begin(): Promise<Talk> {
  const user = await t.signIn(site)
  return { user, id: (await user.call(sendFeedback, { message: '杯子碎了' })).data?.id ?? '' }
}

async function closed(): Promise<Talk> {
  const talk = await begin()
  await operator.call(replyFeedback, { id: talk.id, message: '已补寄' })
  await operator.call(setFeedbackStatus, { id: talk.id, status: 3 })
  expect((await talk.user.call(confirmFeedback, { id: talk.id })).data?.status).toBe(4)
  return talk
}

test('the user’s rating stands in every item of both sides, and the last one counts', async () => {
  const { user, id } = await closed()
  expect((await user.call(readFeedback, { id })).data?.rating).toBeNull()
  await user.call(rateFeedback, { id, score: 2, words: '太慢' })
  const { data: rating } = await user.call(rateFeedback, { id, score: 5, words: '  处理得很好 ' })
  expect(rating).toEqual({ score: 5, words: '处理得很好', time: expect.any(Number) })
  const items = [
    (await user.call(readFeedback, { id })).data,
    (await user.call(listFeedback, {})).data?.data[0],
    (await operator.call(readMerchantFeedback, { id })).data,
    (await operator.call(listMerchantFeedback, { search: id })).data?.data[0],
  ]
  expect(items.map((item) => item?.rating)).toEqual(times(4, () => rating))
  expect((await user.call(rateFeedback, { id, score: 4 })).data?.words).toBe('')
})

test('only a closed conversation is rated; whatever else it is, the refusal says', async () => {
  const { user, id } = await begin()
  const refused = async (status: number) =>
    expect(await user.call(rateFeedback, { id, score: 5 })).toMatchObject({
      code: 'FEEDBACK_STATUS_CONFLICT',
      details: { status },
    })
  await refused(0)
  await operator.call(setFeedbackStatus, { id, status: 1 })
  await refused(1)
  await operator.call(replyFeedback, { id, message: '已补寄' })
  await refused(2)
  await operator.call(setFeedbackStatus, { id, status: 3 })
  await refused(3)
  expect((await user.call(readFeedback, { id })).data?.rating).toBeNull()
})

test('a reply that opens it again keeps the rating, which is given anew only once it is closed again', async () => {
  const { user, id } = await closed()
  const { data: rating } = await user.call(rateFeedback, { id, score: 1, words: '没解决' })
  await operator.call(replyFeedback, { id, message: '我们又查了一下' })
  expect((await user.call(readFeedback, { id })).data).toMatchObject({ status: 2, rating })
  expect((await user.call(rateFeedback, { id, score: 5 })).code).toBe('FEEDBACK_STATUS_CONFLICT')
})

test('only the user rates, and nothing but one to five and a few words', async () => {
  const { user, id } = await closed()
  const other = await t.signIn(site)
  for (const [who, whose] of [
    [other, id],
    [operator, id],
    [user, randomUUID()],
  ] as const)
    expect((await who.call(rateFeedback, { id: whose, score: 1 })).code).toBe('NOT_FOUND')
  for (const wrong of [
    { score: 0 },
    { score: 6 },
    { score: 2.5 },
    { score: 5, words: 'x'.repeat(ratingWordsMost + 1) },
  ])
    expect((await user.call(rateFeedback, { id, ...wrong })).code).toBe('INPUT_INVALID')
  expect((await user.call(readFeedback, { id })).data?.rating).toBeNull()
})

test('a rating that meets the re-opening comes after it, and is refused', async () => {
  const { user, id } = await closed()
  const answer = await held(t, 'SELECT FROM feedback WHERE id = $1 FOR UPDATE', [id], async (holder) => {
    const rating = user.call(rateFeedback, { id, score: 5 })
    await lockedOut(holder, 1)
    await holder.query('UPDATE feedback SET status = 2 WHERE id = $1', [id])
    await holder.query('COMMIT')
    return await rating
  })
  expect(answer).toMatchObject({ code: 'FEEDBACK_STATUS_CONFLICT', details: { status: 2 } })
})

test('rated many times at once it has one whole rating', async () => {
  const { user, id } = await closed()
  const answers = await Promise.all(
    times(10, (index) => user.call(rateFeedback, { id, score: (index % 5) + 1, words: `${(index % 5) + 1} 分` })),
  )
  const { rating } = (await user.call(readFeedback, { id })).data ?? {}
  expect(answers.map(({ data }) => data)).toContainEqual(rating)
  expect(rating?.words).toBe(`${rating?.score} 分`)
})

test('a rating is no message: neither order nor what is unread changes', async () => {
  const { user, id } = await closed()
  const item = async () => {
    const { rating: _, ...rest } = (await operator.call(readMerchantFeedback, { id })).data ?? { rating: null }
    return rest
  }
  const before = await item()
  await user.call(rateFeedback, { id, score: 5 })
  expect(await item()).toEqual(before)
})
