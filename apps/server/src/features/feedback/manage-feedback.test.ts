import { randomUUID } from 'node:crypto'
import { readFeedback, sendFeedback } from '@hufu/contract/feedback'
import {
  closeManagedFeedback,
  listManagedFeedback,
  readManagedFeedback,
  replyManagedFeedback,
} from '@hufu/contract/manage-feedback'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member } from '../../../test/account-user.ts'
import { machine, machineClient, type TestMachine } from '../../../test/machine.ts'
import { recordsOf } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let desk: TestMachine
let reader: TestMachine
let user: Member
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({
    clients: [machineClient('desk', 'feedback:read', 'feedback:write'), machineClient('reader', 'feedback:read')],
  })
  desk = await machine(t, site, 'desk')
  reader = await machine(t, site, 'reader')
  user = await member(t, site)
})
afterAll(() => t.close())

async function begun(message: string): Promise<string> {
  const { data, code } = await user.call(sendFeedback, { message })
  if (!data) throw new Error(code)
  return data.id
}

const entriesOf = async (id: string) =>
  JSON.parse((await user.call(readFeedback, { id })).data?.content ?? '[]') as { message: string; role: string }[]

test('D370 conversations are listed by state, page by page, and read with their entries', async () => {
  const ids = []
  for (const message of ['一', '二', '三']) ids.push(await begun(message))
  const first = await reader.call(listManagedFeedback, { top: 2, status: '0' } as never)
  expect(first.data?.data.map(({ id }) => id)).toEqual([ids[2], ids[1]])
  expect(first.data?.data[0]).toMatchObject({ user: user.id, status: 0, lastSeq: 1 })
  const second = await reader.call(listManagedFeedback, { top: 2, status: '0', cursor: first.data?.next } as never)
  expect(second.data).toMatchObject({ data: [{ id: ids[0] }], next: null })
  expect((await reader.call(listManagedFeedback, { cursor: first.data?.next } as never)).status).toBe(400)
  const read = await reader.call(readManagedFeedback, { id: ids[0] as string })
  expect(read.data).toMatchObject({ more: false, entries: [{ seq: 1, role: 'user', message: '一' }] })
  expect((await reader.call(readManagedFeedback, { id: randomUUID() })).code).toBe('NOT_FOUND')
})

test('D370 a machine replies as the merchant under its name, and closes what both sides have written in', async () => {
  const id = await begun('打不开订单')
  expect((await reader.call(replyManagedFeedback, { id, message: '您好' })).code).toBe('SCOPE_MISSING')
  const replied = await desk.call(replyManagedFeedback, { id, message: '您好，正在为您查询' })
  expect(replied).toMatchObject({ status: 200, data: { id, seq: 2 } })
  expect(await entriesOf(id)).toMatchObject([{ role: 'user' }, { role: 'merchant', message: '您好，正在为您查询' }])
  expect((await desk.call(closeManagedFeedback, { id })).code).toBe('FEEDBACK_STATUS_CONFLICT')
  await user.call(sendFeedback, { id, message: '还是不行' })
  expect(await desk.call(closeManagedFeedback, { id })).toMatchObject({ status: 200, data: { status: 4 } })
  const recorded = (await recordsOf(t, site, 'client:desk')).filter(({ target }) => target === id)
  expect(recorded.map(({ action }) => action)).toEqual(['feedback.reply', 'feedback.status'])
  expect((await desk.call(replyManagedFeedback, { id: randomUUID(), message: '?' })).code).toBe('NOT_FOUND')
})

test('D370 of twenty replies at once with one key one is sent, and a reply to a former state is refused', async () => {
  const id = await begun('在吗')
  const tag = String((await desk.call(readManagedFeedback, { id })).headers.etag)
  const key = { 'idempotency-key': randomUUID() }
  await Promise.all(times(20, () => desk.call(replyManagedFeedback, { id, message: '在的' }, key)))
  expect(await desk.call(replyManagedFeedback, { id, message: '在的' }, key)).toMatchObject({ data: { seq: 2 } })
  expect(await entriesOf(id)).toHaveLength(2)
  const stale = await desk.call(replyManagedFeedback, { id, message: '还在吗' }, { 'if-match': tag })
  expect(stale).toMatchObject({ status: 412, code: 'RESOURCE_CHANGED' })
})
