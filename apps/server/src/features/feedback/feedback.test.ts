import { randomUUID } from 'node:crypto'
import {
  confirmFeedback,
  type FeedbackEntry,
  type FeedbackItem,
  feedbackPerson,
  listFeedback,
  listMerchantFeedback,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  seeFeedback,
  seeMerchantFeedback,
  sendFeedback,
  setFeedbackStatus,
  unreadFeedback,
} from '@hufu/contract/feedback'
import { referenceOf } from '@hufu/contract/feedback-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let operator: TestBrowser
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  operator = await newOperator(site)
})
afterAll(() => t.close())

async function newOperator(at: TestSite, actions = ['READ', 'WRITE']): Promise<TestBrowser & { id: string }> {
  const user = await t.signIn(at)
  await makeOperator(t.deps, at.id, user.id, actions)
  return user
}

const entriesOf = (item: Pick<FeedbackItem, 'content'> | undefined) =>
  JSON.parse(item?.content ?? '[]') as FeedbackEntry[]

async function begin(user: TestBrowser, message = '无法收到验证码') {
  const { data } = await user.call(sendFeedback, { message })
  if (!data) throw new Error('nothing was sent')
  return data.id
}

const statusOf = async (user: TestBrowser, id: string) => (await user.call(readFeedback, { id })).data?.status

/** Brings a new conversation to a status along the table. */
async function bringTo(status: number): Promise<{ user: TestBrowser & { mobile: string }; id: string }> {
  const user = await t.signIn(site)
  const id = await begin(user)
  const steps: Record<number, (() => Promise<unknown>)[]> = {
    0: [],
    1: [() => operator.call(setFeedbackStatus, { id, status: 1 })],
    2: [() => operator.call(replyFeedback, { id, message: '已重发' })],
    3: [
      () => operator.call(replyFeedback, { id, message: '已重发' }),
      () => operator.call(setFeedbackStatus, { id, status: 3 }),
    ],
    4: [
      () => operator.call(replyFeedback, { id, message: '已重发' }),
      () => operator.call(setFeedbackStatus, { id, status: 3 }),
      () => user.call(confirmFeedback, { id }),
    ],
    5: [
      () => operator.call(replyFeedback, { id, message: '已重发' }),
      () => operator.call(setFeedbackStatus, { id, status: 5 }),
    ],
  }
  for (const step of steps[status] ?? []) await step()
  expect(await statusOf(user, id)).toBe(status)
  return { user, id }
}

test('S213 S214 S215 S267 S311 S376 S377 D064 a new feedback has status 0 and stands in the own list', async () => {
  const user = await t.signIn(site)
  const { data } = await user.call(sendFeedback, { message: '  页面打不开 \n' })
  expect(data).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), seq: 1, status: 0 })
  const list = (await user.call(listFeedback, {})).data
  expect(list).toMatchObject({ count: 1, data: [{ id: data?.id, status: 0, mobile: user.mobile, more: false }] })
  // Trimmed, and content is a JSON string of entries.
  expect(entriesOf(list?.data[0])).toEqual([{ seq: 1, role: 'user', message: '页面打不开', time: expect.any(Number) }])
})

test('D044 S312 a message has 1 to 5,000 characters after trimming', async () => {
  const user = await t.signIn(site)
  for (const message of ['', '   \n', 'x'.repeat(5_001)])
    expect((await user.call(sendFeedback, { message })).code).toBe('INPUT_INVALID')
  expect((await user.call(sendFeedback, { message: ` ${'好'.repeat(5_000)} ` })).status).toBe(200)
  const id = await begin(user)
  expect((await operator.call(replyFeedback, { id, message: ' ' })).code).toBe('INPUT_INVALID')
})

test('D044 a repeated send with the same key adds nothing, for a new one and inside one, also at once', async () => {
  const user = await t.signIn(site)
  const key = randomUUID()
  const begun = await Promise.all(times(6, () => user.call(sendFeedback, { message: '你好', key })))
  expect(new Set(begun.map(({ data }) => data?.id)).size).toBe(1)
  expect((await user.call(listFeedback, {})).data?.count).toBe(1)
  const id = begun[0]?.data?.id ?? ''
  const inside = randomUUID()
  const again = await Promise.all(times(6, () => user.call(sendFeedback, { id, message: '补充', key: inside })))
  expect(again.map(({ data }) => data?.seq)).toEqual(times(6, () => 2))
  const replies = await Promise.all(times(6, () => operator.call(replyFeedback, { id, message: '收到', key: inside })))
  expect(new Set(replies.map(({ data }) => data?.seq))).toEqual(new Set([3]))
  expect(entriesOf((await user.call(readFeedback, { id })).data)).toHaveLength(3)
  const other = await t.signIn(site)
  expect((await other.call(sendFeedback, { message: '你好', key })).data?.id).not.toBe(id)
})

test('D044 the database takes no second entry of one side under the same key, even where the lock was not held', async () => {
  const user = await t.signIn(site)
  const key = randomUUID()
  const { data } = await user.call(sendFeedback, { message: '你好', key })
  const copy = (role: string, seq: number) =>
    t.deps.pool.query(
      `INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at, client_key)
       SELECT site_id, feedback_id, $3, $4, author_id, message, at, client_key FROM feedback_entry
       WHERE site_id = $1 AND feedback_id = $2 AND seq = 1`,
      [site.id, data?.id, seq, role],
    )
  await expect(copy('user', 2)).rejects.toMatchObject({ code: '23505', constraint: 'feedback_entry_key' })
  expect((await copy('merchant', 2)).rowCount).toBe(1)
})

test('D040 a message of the user moves 1, 2, 3 and 5 to 1, leaves 0, and is refused at 4', async () => {
  for (const [from, to] of [
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 1],
    [5, 1],
  ] as const) {
    const { user, id } = await bringTo(from)
    expect((await user.call(sendFeedback, { id, message: '还有问题' })).data?.status).toBe(to)
    expect(await statusOf(user, id)).toBe(to)
  }
  const { user, id } = await bringTo(4)
  expect((await user.call(sendFeedback, { id, message: '还有问题' })).code).toBe('FEEDBACK_CLOSED')
})

test('D041 S286 S395 a reply moves 0, 1, 2, 4 and 5 to 2 and leaves 3', async () => {
  for (const [from, to] of [
    [0, 2],
    [1, 2],
    [2, 2],
    [3, 3],
    [4, 2],
    [5, 2],
  ] as const) {
    const { user, id } = await bringTo(from)
    expect((await operator.call(replyFeedback, { id, message: '请再试一次' })).data?.status).toBe(to)
    expect(await statusOf(user, id)).toBe(to)
  }
})

test('D042 S378 the user confirms at 3, or below 3 after a 3 since the last 4', async () => {
  for (const from of [0, 1, 2, 5]) {
    const { user, id } = await bringTo(from)
    expect(await user.call(confirmFeedback, { id })).toMatchObject({
      code: 'FEEDBACK_STATUS_CONFLICT',
      details: { status: from },
    })
  }
  const { user, id } = await bringTo(3)
  await user.call(sendFeedback, { id, message: '又不行了' })
  expect((await user.call(readFeedback, { id })).data).toMatchObject({ status: 1, offered: true })
  expect((await user.call(confirmFeedback, { id })).data?.status).toBe(4)
  expect((await user.call(confirmFeedback, { id })).code).toBe('FEEDBACK_STATUS_CONFLICT')
  // D063: what was offered before the last closing counts no more.
  await operator.call(replyFeedback, { id, message: '我们又查了一下' })
  expect((await user.call(readFeedback, { id })).data).toMatchObject({ status: 2, offered: false })
  expect((await user.call(confirmFeedback, { id })).code).toBe('FEEDBACK_STATUS_CONFLICT')
})

test('S281 S283 S284 S396 D043 the explicit moves of the merchant, and every refused one', async () => {
  const allowed: Record<string, boolean> = { '0>1': true, '2>3': true, '2>5': true }
  for (const from of [0, 1, 2, 3, 4, 5]) {
    for (const to of [0, 1, 2, 3, 4, 5]) {
      const { user, id } = await bringTo(from)
      const answer = await operator.call(setFeedbackStatus, { id, status: to })
      if (allowed[`${from}>${to}`]) expect(answer.data?.status).toBe(to)
      else expect(answer).toMatchObject({ code: 'FEEDBACK_STATUS_CONFLICT', details: { status: from } })
      expect(await statusOf(user, id)).toBe(allowed[`${from}>${to}`] ? to : from)
    }
  }
})

test('S287 S288 S289 S290 S291 force close needs two texts of the user and one of the merchant', async () => {
  const user = await t.signIn(site)
  const id = await begin(user)
  const close = () => operator.call(setFeedbackStatus, { id, status: 4 })
  expect((await close()).code).toBe('FEEDBACK_STATUS_CONFLICT')
  await user.call(sendFeedback, { id, message: '在吗' })
  expect((await close()).code).toBe('FEEDBACK_STATUS_CONFLICT')
  await operator.call(replyFeedback, { id, message: '在的' })
  expect((await close()).data?.status).toBe(4)
  expect((await close()).code).toBe('FEEDBACK_STATUS_CONFLICT')
  const other = await bringTo(2)
  expect((await operator.call(setFeedbackStatus, { id: other.id, status: 4 })).code).toBe('FEEDBACK_STATUS_CONFLICT')
})

test('S444 no status outside 0 to 5 is taken', async () => {
  const { id } = await bringTo(0)
  for (const status of [-1, 6, 1.5, '1' as never])
    expect((await operator.call(setFeedbackStatus, { id, status })).code).toBe('INPUT_INVALID')
})

test('S216 D063 only explicit moves write an entry with a status, its message empty', async () => {
  const { user, id } = await bringTo(4)
  const entries = entriesOf((await user.call(readFeedback, { id })).data)
  expect(entries.map(({ role, message, status }) => [role, message, status])).toEqual([
    ['user', '无法收到验证码', undefined],
    ['merchant', '已重发', undefined],
    ['merchant', '', 3],
    ['user', '', 4],
  ])
})

test('D078 D064 the newest fifty entries and the way to older and newer ones', async () => {
  const user = await t.signIn(site)
  const id = await begin(user, '第1条')
  for (const number of times(59, (index) => index + 2)) await user.call(sendFeedback, { id, message: `第${number}条` })
  const newest = (await user.call(readFeedback, { id })).data
  expect(newest).toMatchObject({ more: true, lastSeq: 60 })
  expect(entriesOf(newest).map(({ seq }) => seq)).toEqual(times(50, (index) => index + 11))
  const older = (await user.call(readFeedback, { id, before: 11 })).data
  expect(older?.more).toBe(false)
  expect(entriesOf(older).map(({ message }) => message)).toEqual(times(10, (index) => `第${index + 1}条`))
  expect(entriesOf((await user.call(readFeedback, { id, after: 58 })).data).map(({ seq }) => seq)).toEqual([59, 60])
  expect(entriesOf((await operator.call(readMerchantFeedback, { id, before: 3 })).data)).toHaveLength(2)
  const listed = (await user.call(listFeedback, {})).data?.data[0]
  expect(listed?.more).toBe(true)
  expect(entriesOf(listed)).toHaveLength(50)
  const brief = (await user.call(listFeedback, { brief: true })).data?.data[0]
  expect(entriesOf(brief).map(({ message }) => message)).toEqual(['第60条'])
})

test('S334 no user reads, sends to or confirms the conversation of another', async () => {
  const { id } = await bringTo(3)
  const other = await t.signIn(site)
  const answers = [
    await other.call(readFeedback, { id }),
    await other.call(sendFeedback, { id, message: '我来' }),
    await other.call(confirmFeedback, { id }),
    await other.call(seeFeedback, { id, seq: 1 }),
    await other.call(readFeedback, { id: randomUUID() }),
  ]
  expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual(times(5, () => '404 NOT_FOUND'))
  expect((await other.call(listFeedback, {})).data).toEqual({ count: 0, data: [] })
})

test('reading needs READ, replying and moving WRITE', async () => {
  const { id } = await bringTo(0)
  const reader = await newOperator(site, ['READ'])
  expect((await reader.call(listMerchantFeedback, {})).status).toBe(200)
  expect((await reader.call(replyFeedback, { id, message: '好' })).code).toBe('FORBIDDEN')
  expect((await reader.call(setFeedbackStatus, { id, status: 1 })).code).toBe('FORBIDDEN')
  const user = await t.signIn(site)
  expect((await user.call(listMerchantFeedback, {})).code).toBe('FORBIDDEN')
})

test('S394 S217 S143 the merchant lists newest message first, and who waits longest on demand', async () => {
  const own = await t.codeSite()
  const merchant = await newOperator(own)
  const ids: string[] = []
  for (const number of times(5, (index) => index)) ids.push(await begin(await t.signIn(own), `问题${number}`))
  const [first = '', second = ''] = ids
  await merchant.call(replyFeedback, { id: first, message: '已处理' })
  const newest = (await merchant.call(listMerchantFeedback, {})).data
  expect(newest?.count).toBe(5)
  expect(newest?.data.map(({ id }) => id)).toEqual([first, ...ids.slice(1).reverse()])
  expect(newest?.data[0]?.time).toBe(entriesOf(newest?.data[0]).at(-1)?.time)
  const waiting = (await merchant.call(listMerchantFeedback, { longestFirst: true })).data
  expect(waiting?.data.map(({ id }) => id)).toEqual(ids.slice(1))
  // A status entry is no message: the order stays.
  await merchant.call(setFeedbackStatus, { id: second, status: 1 })
  expect((await merchant.call(listMerchantFeedback, {})).data?.data.map(({ id }) => id)).toEqual(
    newest?.data.map(({ id }) => id),
  )
  expect((await merchant.call(listMerchantFeedback, { status: 1 })).data?.data.map(({ id }) => id)).toEqual([second])
  expect((await merchant.call(listMerchantFeedback, { waiting: true })).data?.count).toBe(4)
})

test('a list goes on from its last conversation, without a gap or a double', async () => {
  const own = await t.codeSite()
  const merchant = await newOperator(own)
  const user = await t.signIn(own)
  await t.deps.pool.query(
    `WITH made AS (
       INSERT INTO feedback (site_id, id, user_id, status, last_seq, user_texts, last_message_at, waiting_since)
       SELECT $1, gen_random_uuid(), $2, 0, 1, 1, now() - (n / 3) * interval '1 ms', now() - (n / 3) * interval '1 ms'
       FROM generate_series(1, 250) n RETURNING site_id, id, user_id, last_message_at
     ), own AS (INSERT INTO feedback_of_user SELECT site_id, user_id, id FROM made)
     INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at)
     SELECT site_id, id, 1, 'user', user_id, 'x', last_message_at FROM made`,
    [own.id, user.id],
  )
  for (const [caller, list, longestFirst] of [
    [merchant, listMerchantFeedback, false],
    [merchant, listMerchantFeedback, true],
    [user, listFeedback, false],
  ] as const) {
    const seen: string[] = []
    for (let before: { time: number; id: string } | undefined; ; ) {
      const wanted = { brief: true, ...(before && { before }), ...(longestFirst && { longestFirst }) }
      const { data = [] } = (await caller.call(list, wanted)).data ?? {}
      seen.push(...data.map(({ id }) => id))
      const last = data.at(-1)
      if (!last) break
      before = { id: last.id, time: (longestFirst ? last.waitingSince : last.time) ?? 0 }
    }
    expect(seen).toHaveLength(250)
    expect(new Set(seen).size).toBe(250)
  }
})

test('S131 search by reference, by number, and nothing for anything else', async () => {
  const { user, id } = await bringTo(0)
  const found = async (search: string) =>
    (await operator.call(listMerchantFeedback, { search })).data?.data.map((item) => item.id)
  expect(await found(referenceOf(id))).toContain(id)
  expect(await found(id)).toEqual([id])
  expect(await found(user.mobile)).toEqual([id])
  expect(await found('没有')).toEqual([])
})

test('lists of the merchant mask numbers unless the site says otherwise', async () => {
  const { user, id } = await bringTo(0)
  const masked = `${user.mobile.slice(0, 3)}****${user.mobile.slice(-4)}`
  expect((await operator.call(readMerchantFeedback, { id })).data?.mobile).toBe(masked)
  expect((await operator.call(feedbackPerson, { id })).data?.mobile).toBe(masked)
  const open = await t.codeSite({ privacy: { maskLists: false } })
  const merchant = await newOperator(open)
  const author = await t.signIn(open)
  const own = await begin(author)
  expect((await merchant.call(readMerchantFeedback, { id: own })).data?.mobile).toBe(author.mobile)
})

test('the user beside a conversation: devices and earlier conversations', async () => {
  const user = await t.signIn(site, { userAgent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/126.0' })
  const first = await begin(user, '第一次')
  const second = await begin(user, '第二次')
  const { data } = await operator.call(feedbackPerson, { id: second })
  expect(data).toMatchObject({ id: user.id, earlier: [{ id: first, status: 0, preview: '第一次' }] })
  expect(data?.devices).toHaveLength(1)
  expect((await operator.call(feedbackPerson, { id: randomUUID() })).code).toBe('NOT_FOUND')
})

test('what one side sent is new to the other until it was seen', async () => {
  const own = await t.codeSite()
  const merchant = await newOperator(own)
  const user = await t.signIn(own)
  const id = await begin(user)
  const counts = async (who: TestBrowser) => (await who.call(unreadFeedback, {})).data
  expect([await counts(user), await counts(merchant)]).toEqual([
    { user: 0, merchant: 0 },
    { user: 0, merchant: 1 },
  ])
  const { data } = await merchant.call(replyFeedback, { id, message: '您好' })
  expect(await counts(user)).toEqual({ user: 1, merchant: 0 })
  expect((await user.call(readFeedback, { id })).data?.unread).toBe(true)
  await user.call(seeFeedback, { id, seq: data?.seq ?? 0 })
  expect(await counts(user)).toEqual({ user: 0, merchant: 0 })
  await user.call(seeFeedback, { id, seq: 0 })
  await merchant.call(seeMerchantFeedback, { id, seq: 999 })
  expect((await user.call(readFeedback, { id })).data?.unread).toBe(false)
})

test('fifty messages at once from both sides: numbered without a gap, every one there', async () => {
  const { user, id } = await bringTo(1)
  const sent = await Promise.all(
    times(25, (index) => [
      user.call(sendFeedback, { id, message: `u${index}` }),
      operator.call(replyFeedback, { id, message: `m${index}` }),
    ]).flat(),
  )
  expect(sent.map(({ status }) => status)).toEqual(times(50, () => 200))
  const item = (await user.call(readFeedback, { id })).data
  expect(item?.lastSeq).toBe(52)
  const entries = [...entriesOf((await user.call(readFeedback, { id, before: 3 })).data), ...entriesOf(item)]
  expect(entries.map(({ seq }) => seq)).toEqual(times(52, (index) => index + 1))
  expect(new Set(entries.map(({ message }) => message)).size).toBe(52)
  const ordered = entries.map(({ time }) => time)
  expect(ordered).toEqual(ordered.toSorted((a, b) => a - b))
})

test('D455 a page of conversations can begin at no time that no calendar has', async () => {
  const user = await t.signIn(site)
  for (const time of [3.4e38, -1, 8.64e15 + 2])
    expect((await user.call(listFeedback, { before: { time, id: randomUUID() } })).code).toBe('INPUT_INVALID')
  expect((await user.call(listFeedback, { before: { time: 8.64e15, id: randomUUID() } })).data?.count).toBe(0)
})
