import { randomUUID } from 'node:crypto'
import { listDevices, removeDevice } from '@hufu/contract/devices'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, type TestSite } from '../apps/server/test/test-app.ts'
import { type Harness, openHarness } from './harness.ts'
import { allEndpoints, fieldsOf } from './samples.ts'

let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  elsewhere = await t.codeSite()
})
afterAll(() => t.close())

/** Calls that take the id of something a person owns. */
const covered: string[] = [removeDevice.path]

test('A22 every call that takes an id is met here', () => {
  const takesId = allEndpoints.filter((endpoint) =>
    fieldsOf(endpoint).some((field) => /(^|\.)(id|userId)$/.test(field)),
  )
  expect(takesId.map(({ path }) => path).sort()).toEqual(covered.toSorted())
})

test("A22 somebody else's session, one of another site, an ended one and none at all are refused alike", async () => {
  const me = await t.session(site, (await t.person(site)).id)
  const other = await t.session(site, (await t.person(site)).id)
  const abroad = await t.session(elsewhere, (await t.person(elsewhere)).id)
  const ids = [sessionOf(other), sessionOf(abroad), other.id, randomUUID()]
  const replies = []
  for (const id of ids) replies.push(await me.call(removeDevice, { id }))
  const [first] = replies
  expect(first?.status).toBe(404)
  expect(new Set(replies.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
  expect((await other.call(userInfo)).status).toBe(200)
  expect((await abroad.call(userInfo)).status).toBe(200)
  console.log(`A22: ${ids.length} foreign and wrong ids, one and the same answer: ${first?.status} ${first?.code}`)
})

test('A22 a list holds the own rows alone', async () => {
  const [mine, theirs] = [await t.person(site), await t.person(site)]
  const [one, two] = [await t.session(site, mine.id), await t.session(site, mine.id)]
  await t.session(site, theirs.id)
  const { data } = await one.call(listDevices, {})
  expect(data?.data.map(({ id }) => id).sort()).toEqual([sessionOf(one), sessionOf(two)].sort())
})
