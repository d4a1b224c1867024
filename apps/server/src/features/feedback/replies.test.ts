import { randomUUID } from 'node:crypto'
import { listReplies, removeReply, saveReply } from '@hufu/contract/feedback-desk'
import { repliesMost, replyTextMost, replyTitleMost } from '@hufu/contract/feedback-rules'
import { queryOperatorLog } from '@hufu/contract/operators'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { held, lockedOut } from '../../../test/race.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let operator: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  operator = await newOperator(t, site, ['READ', 'WRITE'])
})
afterAll(() => t.close())

test('prepared replies are shown to all readers, by title in pinyin order', async () => {
  const own = await t.codeSite()
  const writer = await newOperator(t, own, ['READ', 'WRITE'])
  const reader = await newOperator(t, own, ['READ'])
  for (const title of ['退款说明', ' 补寄 ', '发货时间 10', '发货时间 2'])
    expect((await writer.call(saveReply, { title, text: `${title}的话术 ` })).status).toBe(200)
  const kept = (await reader.call(listReplies)).data ?? []
  expect(kept.map(({ title }) => title)).toEqual(['补寄', '发货时间 2', '发货时间 10', '退款说明'])
  expect(kept.map(({ text }) => text)).toContain('退款说明的话术')
  const [first] = kept
  const changed = await writer.call(saveReply, { id: first?.id, title: '再次补寄', text: '马上寄' })
  expect(changed.data).toEqual({ id: first?.id, title: '再次补寄', text: '马上寄' })
  expect((await reader.call(listReplies)).data).toContainEqual(changed.data)
  await writer.call(removeReply, { id: first?.id ?? '' })
  expect((await reader.call(listReplies)).data).toHaveLength(3)
})

test('saving and removing stand in the log of operators, with the title alone', async () => {
  const { data } = await operator.call(saveReply, { title: '道歉', text: '非常抱歉给您带来不便' })
  const id = data?.id ?? ''
  await operator.call(saveReply, { id, title: '致歉', text: '抱歉' })
  await operator.call(removeReply, { id })
  const mine = { operator: operator.id, target: id }
  expect((await recordsOf(t, site, operator.id)).filter(({ target }) => target === id)).toEqual([
    { ...mine, action: 'reply.save', detail: { title: '道歉' } },
    { ...mine, action: 'reply.save', detail: { title: '致歉' } },
    { ...mine, action: 'reply.remove', detail: { title: '致歉' } },
  ])
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  const lines = (await admin.call(queryOperatorLog, { action: 'reply.remove' })).data?.data
  expect(lines).toMatchObject([{ target: id, detail: { title: '致歉' }, person: null }])
})

test('what is not there is neither changed nor removed, and leaves no line in the log', async () => {
  const abroad = await newOperator(t, await t.codeSite(), ['READ', 'WRITE'])
  const { data } = await abroad.call(saveReply, { title: '别站', text: '别站的话' })
  const before = await recordsOf(t, site, operator.id)
  for (const id of [data?.id ?? '', randomUUID()]) {
    expect((await operator.call(saveReply, { id, title: '改', text: '改' })).code).toBe('NOT_FOUND')
    expect((await operator.call(removeReply, { id })).code).toBe('NOT_FOUND')
  }
  expect(await recordsOf(t, site, operator.id)).toEqual(before)
  expect((await abroad.call(listReplies)).data).toEqual([data])
})

test('the same key again keeps and changes nothing more, also at once and where the site has room for no other', async () => {
  const own = await t.codeSite()
  const writer = await newOperator(t, own, ['READ', 'WRITE'])
  const key = randomUUID()
  await t.deps.pool.query(
    `INSERT INTO quick_reply (site_id, id, title, text)
     SELECT $1, gen_random_uuid(), n::text, 'x' FROM generate_series(1, $2::int) n`,
    [own.id, repliesMost - 1],
  )
  const first = { id: key, title: '问候', text: '您好' }
  const saved = await Promise.all(times(8, () => writer.call(saveReply, { title: '问候', text: '您好', key })))
  expect(saved.map(({ data }) => data)).toEqual(times(8, () => first))
  expect((await writer.call(saveReply, { title: '另一个', text: '别的', key })).data).toEqual(first)
  expect(((await writer.call(listReplies)).data ?? []).filter(({ id }) => id === key)).toEqual([first])
  expect(await recordsOf(t, own, writer.id)).toHaveLength(1)
  expect((await writer.call(saveReply, { title: '问候', text: '您好', key: randomUUID() })).code).toBe('REPLIES_FULL')
  // One that is changed is known by its id; elsewhere the key is another reply's.
  const changed = await writer.call(saveReply, { id: key, title: '改', text: '改', key: randomUUID() })
  expect(changed.data).toEqual({ id: key, title: '改', text: '改' })
  expect((await operator.call(saveReply, { title: '本站', text: '好', key })).data).toMatchObject({ title: '本站' })
  expect((await operator.call(saveReply, { title: '本站', text: '好', key: 'x' })).code).toBe('INPUT_INVALID')
})

test('changing them needs WRITE, reading READ; empty and long ones are refused', async () => {
  const reader = await newOperator(t, site, ['READ'])
  const user = await t.signIn(site)
  expect((await reader.call(saveReply, { title: '问候', text: '您好' })).code).toBe('FORBIDDEN')
  expect((await reader.call(removeReply, { id: randomUUID() })).code).toBe('FORBIDDEN')
  expect((await user.call(listReplies)).code).toBe('FORBIDDEN')
  for (const wrong of [
    { title: ' ', text: '您好' },
    { title: '问候', text: '\n' },
    { title: 'x'.repeat(replyTitleMost + 1), text: '您好' },
    { title: '问候', text: 'x'.repeat(replyTextMost + 1) },
  ])
    expect((await operator.call(saveReply, wrong)).code).toBe('INPUT_INVALID')
})

test('a site keeps so many and no more, however many are saved at once; changing one is always possible', async () => {
  const own = await t.codeSite()
  const writer = await newOperator(t, own, ['READ', 'WRITE'])
  await t.deps.pool.query(
    `INSERT INTO quick_reply (site_id, id, title, text)
     SELECT $1, gen_random_uuid(), n::text, 'x' FROM generate_series(1, $2::int) n`,
    [own.id, repliesMost - 2],
  )
  // All six are on their way before the first can end.
  const saved = await held(t, 'LOCK TABLE operator_log IN SHARE MODE', [], async (holder) => {
    const saving = times(6, (index) => writer.call(saveReply, { title: `新${index}`, text: '好' }))
    await lockedOut(holder, 6)
    await holder.query('COMMIT')
    return await Promise.all(saving)
  })
  expect(saved.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(saved.filter(({ code }) => code === 'REPLIES_FULL')).toHaveLength(4)
  const [first] = (await writer.call(listReplies)).data ?? []
  expect((await writer.call(saveReply, { id: first?.id, title: '改', text: '改' })).status).toBe(200)
  expect((await operator.call(saveReply, { title: '本站有地方', text: '好' })).status).toBe(200)
})
