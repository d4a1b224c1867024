import { randomUUID } from 'node:crypto'
import {
  listFeedback,
  listMerchantFeedback,
  readFeedback,
  readMerchantFeedback,
  sendFeedback,
  unreadFeedback,
} from '@hufu/contract/feedback'
import { addNote, listNotes, removeNote } from '@hufu/contract/feedback-desk'
import { noteMost, notesMost } from '@hufu/contract/feedback-rules'
import { changeNickname } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperator, type Operator } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let operator: Operator
let colleague: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  operator = await newOperator(t, site, ['READ', 'WRITE'])
  colleague = await newOperator(t, site, ['READ', 'WRITE'])
})
afterAll(() => t.close())

async function begin(at = site): Promise<{ user: TestBrowser; id: string }> {
  const user = await t.signIn(at)
  const { data } = await user.call(sendFeedback, { message: '杯子碎了' })
  return { user, id: data?.id ?? '' }
}

const add = (by: TestBrowser, id: string, text: string, key: string = randomUUID()) =>
  by.call(addNote, { id, text, key })
const textsOf = async (by: TestBrowser, id: string) =>
  (await by.call(listNotes, { id })).data?.map(({ text }) => text) ?? []

/** As many notes as wanted, at once. */
const fill = (id: string, count: number) =>
  t.deps.pool.query(
    `INSERT INTO feedback_note (site_id, feedback_id, id, author_id, text)
     SELECT $1, $2, gen_random_uuid(), $3, n::text FROM generate_series(1, $4::int) n`,
    [site.id, id, operator.id, count],
  )

test('operators read what was noted, oldest first, with the name that colleagues know', async () => {
  const { id } = await begin()
  await operator.call(changeNickname, { nickname: '客服小陈' })
  const { data: note } = await add(operator, id, '  等仓库回复 ')
  expect(note).toEqual({
    id: expect.any(String),
    author: { id: operator.id, name: '客服小陈' },
    text: '等仓库回复',
    time: expect.any(Number),
  })
  await add(colleague, id, '仓库说明天补寄')
  const reader = await newOperator(t, site, ['READ'])
  expect((await reader.call(listNotes, { id })).data).toEqual([
    note,
    expect.objectContaining({ text: '仓库说明天补寄', author: { id: colleague.id, name: colleague.username } }),
  ])
})

test('the same key again answers the first note, also at once; the key of another author gives nothing away', async () => {
  const { id } = await begin()
  const key = randomUUID()
  const replies = await Promise.all(times(6, (index) => add(operator, id, `第${index}次`, key)))
  expect(new Set(replies.map(({ data }) => JSON.stringify(data))).size).toBe(1)
  expect(await textsOf(operator, id)).toHaveLength(1)
  expect(await add(colleague, id, '撞上了', key)).toMatchObject({ status: 404, code: 'NOT_FOUND', data: undefined })
  const other = await begin()
  expect((await add(colleague, other.id, '别处的', key)).data?.text).toBe('别处的')
  expect(await textsOf(operator, id)).toEqual([replies[0]?.data?.text])
})

test('a note is deleted by its author alone', async () => {
  const { id } = await begin()
  const { data } = await add(operator, id, '只给同事看')
  const note = data?.id ?? ''
  const admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
  for (const other of [colleague, admin]) expect((await other.call(removeNote, { id, note })).code).toBe('FORBIDDEN')
  const elsewhere = await begin()
  for (const wrong of [
    { id, note: randomUUID() },
    { id: elsewhere.id, note },
    { id: randomUUID(), note },
  ])
    expect((await operator.call(removeNote, wrong)).code).toBe('NOT_FOUND')
  const taken = await Promise.all(times(4, () => operator.call(removeNote, { id, note })))
  expect(taken.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  expect(await textsOf(operator, id)).toEqual([])
})

test('a conversation has so many notes and no more, however many come at once', async () => {
  const { id } = await begin()
  await fill(id, notesMost - 2)
  const codes = (await Promise.all(times(6, () => add(operator, id, '再记一条')))).map(({ code }) => code)
  expect(codes.filter((code) => code === undefined)).toHaveLength(2)
  expect(codes.filter((code) => code === 'NOTES_FULL')).toHaveLength(4)
  const [oldest] = (await operator.call(listNotes, { id })).data ?? []
  await operator.call(removeNote, { id, note: oldest?.id ?? '' })
  expect((await add(operator, id, '又有地方了')).status).toBe(200)
})

test('a note needs WRITE, words and a conversation of this site', async () => {
  const { user, id } = await begin()
  const reader = await newOperator(t, site, ['READ'])
  const { data } = await add(operator, id, '有权限')
  for (const who of [user, reader]) {
    expect((await add(who, id, '没有权限')).code).toBe('FORBIDDEN')
    expect((await who.call(removeNote, { id, note: data?.id ?? '' })).code).toBe('FORBIDDEN')
  }
  expect((await user.call(listNotes, { id })).code).toBe('FORBIDDEN')
  for (const text of ['', '  \n', 'x'.repeat(noteMost + 1)])
    expect((await add(operator, id, text)).code).toBe('INPUT_INVALID')
  const abroad = await begin(await t.codeSite())
  for (const other of [abroad.id, randomUUID()]) {
    expect((await add(operator, other, '别站')).code).toBe('NOT_FOUND')
    expect((await operator.call(listNotes, { id: other })).code).toBe('NOT_FOUND')
  }
})

test('a note changes nothing else of a conversation, for neither side', async () => {
  const { user, id } = await begin()
  const seen = async () =>
    JSON.stringify([
      (await user.call(readFeedback, { id })).data,
      (await user.call(listFeedback, {})).data,
      (await user.call(unreadFeedback, {})).data,
      (await operator.call(readMerchantFeedback, { id })).data,
      (await operator.call(listMerchantFeedback, { search: id })).data,
      (await operator.call(unreadFeedback, {})).data,
      (await t.deps.pool.query('SELECT * FROM feedback WHERE id = $1', [id])).rows,
      (await t.deps.pool.query("SELECT data FROM pgboss.job WHERE data ->> 'id' = $1", [id])).rows,
    ])
  const before = await seen()
  const { data } = await add(operator, id, '客户很着急')
  expect(await seen()).toBe(before)
  await operator.call(removeNote, { id, note: data?.id ?? '' })
  expect(await seen()).toBe(before)
})

test('an operator who wrote as a user meets notes only where operators do', async () => {
  const { data } = await operator.call(sendFeedback, { message: '我自己也有问题' })
  const id = data?.id ?? ''
  await add(colleague, id, '同事的问题，优先')
  const own = [await operator.call(readFeedback, { id }), await operator.call(listFeedback, {})]
  expect(JSON.stringify(own)).not.toContain('优先')
  expect(await textsOf(operator, id)).toEqual(['同事的问题，优先'])
})
