import { randomUUID } from 'node:crypto'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { answering } from '@hufu/contract/feedback-desk'
import { changeNickname } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../../test/enrolled.ts'
import { newOperator, type Operator } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let chen: Operator
let wang: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  chen = await newOperator(t, site, ['READ', 'WRITE'])
  wang = await newOperator(t, site, ['READ', 'WRITE'])
  await chen.call(changeNickname, { nickname: '客服小陈' })
})
afterAll(() => t.close())

async function begin(at = site): Promise<string> {
  const user = await t.signIn(at)
  return (await user.call(sendFeedback, { message: '杯子碎了' })).data?.id ?? ''
}

const says = async (who: TestBrowser, id: string, writing?: boolean) =>
  (await who.call(answering, { id, writing })).data?.map((colleague) => colleague.name)

const keyOf = (id: string) => `{answering:${site.id}:${id}}`

test('who writes is known to the others by name, to themselves not, and to none once they stop', async () => {
  const id = await begin()
  expect(await says(chen, id, true)).toEqual([])
  expect(await says(wang, id, true)).toEqual(['客服小陈'])
  expect(await says(chen, id, true)).toEqual([wang.username])
  expect(await says(chen, id, false)).toEqual([wang.username])
  expect(await says(wang, id, true)).toEqual([])
  expect(await says(wang, await begin(), true)).toEqual([])
})

test('who only listens, as a second tab of the same operator does, ends and begins nothing', async () => {
  const id = await begin()
  await says(chen, id, true)
  expect(await says(chen, id)).toEqual([])
  expect(await says(wang, id)).toEqual(['客服小陈'])
  expect(await says(chen, id)).toEqual([])
})

test('an operator who sends no signal any more is forgotten after fifteen seconds, by the clock of Redis', async () => {
  const id = await begin()
  const storeTime = async () => Number((await t.deps.redis.time())[0]) * 1000
  const before = await storeTime()
  await says(chen, id, true)
  const [[, until = '']] = Object.entries(await t.deps.redis.hgetall(keyOf(id))) as [[string, string]]
  expect(Number(until)).toBeGreaterThanOrEqual(before + 15_000)
  expect(Number(until)).toBeLessThan((await storeTime()) + 16_000)
  expect(await t.deps.redis.pttl(keyOf(id))).toBeLessThanOrEqual(15_000)
  // As if the fifteen seconds were over for one while others write on.
  await says(wang, id, true)
  await t.deps.redis.hincrby(keyOf(id), chen.id, -15_000)
  expect(await says(wang, id, true)).toEqual([])
  expect(await t.deps.redis.hlen(keyOf(id))).toBe(1)
})

test('a reply ends the own writing and no other operator’s', async () => {
  const id = await begin()
  await says(chen, id, true)
  await says(wang, id, true)
  expect((await chen.call(replyFeedback, { id, message: '已补寄' })).status).toBe(200)
  expect(await says(wang, id, true)).toEqual([])
  expect(await says(chen, id, false)).toEqual([wang.username])
})

test('who may only read asks and counts as no writer; users and other sites learn nothing', async () => {
  const id = await begin()
  const reader = await newOperator(t, site, ['READ'])
  await says(chen, id, true)
  expect(await says(reader, id, true)).toEqual(['客服小陈'])
  expect(await says(chen, id, true)).toEqual([])
  const user = await t.signIn(site)
  expect((await user.call(answering, { id, writing: true })).code).toBe('FORBIDDEN')
  const abroad = await newOperator(t, await t.codeSite(), ['READ', 'WRITE'])
  for (const [who, whose] of [
    [abroad, id],
    [chen, randomUUID()],
  ] as const)
    expect((await who.call(answering, { id: whose, writing: true })).code).toBe('NOT_FOUND')
})

/** Without a password, whose hash takes its time. */
async function newcomer(): Promise<TestBrowser> {
  const user = await t.signIn(site)
  await makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE'])
  return user
}

test('twenty who write at once all know of each other', async () => {
  const id = await begin()
  const users = await Promise.all(times(20, newcomer))
  await Promise.all(users.map((who) => says(who, id, true)))
  expect(await says(chen, id, false)).toHaveLength(20)
  for (const names of await Promise.all(users.map((who) => says(who, id, true)))) expect(names).toHaveLength(19)
})
