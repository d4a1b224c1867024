import { randomUUID } from 'node:crypto'
import { bindAuthorization, createAuthorization } from '@hufu/contract/authorize'
import { listDevices, removeDevice } from '@hufu/contract/devices'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
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

/** Calls that take the id of something: a person's own, or a request that only its holders know of. */
const covered: string[] = [removeDevice.path, bindAuthorization.path, checkScanRequest.path, processScanRequest.path]

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

/** The one answer to all of them. */
function alike(replies: { status: number; body: string; code: string | undefined }[]): string {
  const answers = [...new Set(replies.map(({ status, body }) => `${status} ${body}`))]
  expect(answers).toHaveLength(1)
  return `${replies[0]?.status} ${replies[0]?.code}`
}

test('A22 an authorization of another site, one that was bound by somebody else and none at all are refused alike', async () => {
  const me = await t.session(site, (await t.person(site)).id)
  const other = await t.session(site, (await t.person(site)).id)
  const begin = async (at: TestSite) => (await t.browser(at).call(createAuthorization, { source: '/user' })).data ?? ''
  const taken = await begin(site)
  expect((await other.call(bindAuthorization, { id: taken })).status).toBe(200)
  const ids = [await begin(elsewhere), taken, randomUUID(), other.id]
  const replies = []
  for (const id of ids) replies.push(await me.call(bindAuthorization, { id }))
  console.log(`A22: ${ids.length} foreign and wrong authorizations, one and the same answer: ${alike(replies)}`)
})

test('A22 a scan request of another browser, of another site and none at all are refused alike', async () => {
  const me = await t.session(site, (await t.person(site)).id)
  const begin = async (at: TestSite) => {
    const { data } = await t.browser(at).call(createScanRequest)
    if (!data) throw new Error('no request')
    return data
  }
  const here = await begin(site)
  const requests = [await begin(elsewhere), { ...here, id: 'A'.repeat(22) }]
  const checked = []
  for (const request of [...requests, here]) checked.push(await me.call(checkScanRequest, request))
  const processed = []
  for (const request of requests) processed.push(await me.call(processScanRequest, { ...request, status: 0 }))
  console.log(`A22: foreign and wrong scan requests: ${alike(checked)} when polled, ${alike(processed)} when approved`)
})

test('A22 a list holds the own rows alone', async () => {
  const [mine, theirs] = [await t.person(site), await t.person(site)]
  const [one, two] = [await t.session(site, mine.id), await t.session(site, mine.id)]
  await t.session(site, theirs.id)
  const { data } = await one.call(listDevices, {})
  expect(data?.data.map(({ id }) => id).sort()).toEqual([sessionOf(one), sessionOf(two)].sort())
})
