import { randomUUID } from 'node:crypto'
import { dataExports, exportData } from '@hufu/contract/personal-data'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { changeNickname } from '@hufu/contract/profile'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, password, signInAgain } from '../../../test/account-user.ts'
import { checked, eventsOf } from '../../../test/operator.ts'
import { lockedOut } from '../../../test/race.ts'
import {
  fresh,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import { unzip } from '../../../test/unzip.ts'
import type { UserId } from '../../platform/ids.ts'
import { startJobs } from '../../platform/jobs/jobs.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import { upkeep } from '../../worker.ts'
import { createUser } from '../users/users.service.ts'
import { dataExportJob, failedDataExportJob } from './data-export.ts'
import { eraseUser } from './erase-user.ts'
import { archivedTables } from './personal-data.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ name: '青屿<生活>' })
})
afterAll(() => t.close())

async function checkedMember(at = site): Promise<Member> {
  const user = await member(t, at)
  await checked(t, user)
  return user
}

async function begin(user: TestBrowser): Promise<string> {
  const { data, code } = await user.call(exportData)
  if (!data) throw new Error(`the export was refused: ${code}`)
  return data.id
}

const run = (user: Member, id: string, at = site) => dataExportJob(t.deps).run({ siteId: at.id, userId: user.id, id })

async function exported(user: Member, at = site): Promise<string> {
  const id = await begin(user)
  await run(user, id, at)
  return id
}

const fetchFile = ({ cookies }: TestBrowser, id: string, headers: Record<string, string> = {}, at = site) =>
  t.app.inject({
    method: 'GET',
    url: `${dataFilePath}?id=${id}`,
    headers: {
      host: at.host,
      'sec-fetch-site': 'same-origin',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...headers,
    },
  })

const archivesOf = async (id: string) =>
  (await t.deps.pool.query("SELECT id FROM blob WHERE owner_id = $1 AND kind = 'export'", [id])).rows.map(
    (row) => row.id,
  )

test('an archive is begun, made and fetched by its own user, and each of that is on record', async () => {
  const user = await checkedMember()
  await user.call(changeNickname, { nickname: '<b>知夏</b>' })
  const begun = (await user.call(exportData)).data
  const total = archivedTables.length
  expect(begun).toMatchObject({ status: 'waiting', done: 0, total, expires: null })
  const id = begun?.id ?? ''
  expect((await fetchFile(user, id)).statusCode).toBe(404)
  await run(user, id)
  const list = (await user.call(dataExports)).data
  expect(list).toMatchObject({ count: 1, data: [{ id, status: 'done', done: total, total }] })
  expect(Math.abs((list?.data[0]?.expires ?? 0) - Date.now() - 86_400_000)).toBeLessThan(60_000)
  const reply = await fetchFile(user, id)
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({ 'content-type': 'application/zip', 'cache-control': 'no-store' })
  expect(reply.headers['content-disposition']).toMatch(/^attachment; filename="personal-data-\d{8}\.zip"$/)
  const files = unzip(reply.rawPayload)
  expect([...files.keys()]).toEqual(['个人信息.json', '个人信息.html'])
  const page = files.get('个人信息.html')?.toString() ?? ''
  expect(page).toContain('青屿&lt;生活&gt; 个人信息')
  expect(page).toContain('&lt;b&gt;知夏&lt;/b&gt;')
  expect(page).not.toMatch(/<(b>|script|生活)/)
  expect(page).toContain('北京时间')
  const events = (await eventsOf(t, site, user.id)).map(({ event }) => event)
  expect(events.filter((event) => event.startsWith('data.'))).toEqual(['data.export', 'data.fetch'])
})

test('of ten begun at once one is, and the next may begin when that is finished', async () => {
  const user = await checkedMember()
  const answers = await Promise.all(times(10, () => user.call(exportData)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ code }) => code === 'EXPORT_BUSY')).toHaveLength(9)
  const id = answers.find(({ data }) => data)?.data?.id ?? ''
  await Promise.all(times(3, () => run(user, id)))
  expect(await archivesOf(user.id)).toEqual([id])
  const second = await exported(user)
  expect((await archivesOf(user.id)).sort()).toEqual([id, second].sort())
  expect((await fetchFile(user, id)).statusCode).toBe(200)
})

test('three archives a day may be begun by the clock of the store; those that failed are not counted', async () => {
  const user = await checkedMember()
  const [first] = [await exported(user), await exported(user)]
  const failed = await begin(user)
  await t.deps.pool.query("UPDATE data_export SET status = 'failed' WHERE id = $1", [failed])
  const third = await begin(user)
  // As long as one is being made, that is the answer.
  expect((await user.call(exportData)).code).toBe('EXPORT_BUSY')
  await run(user, third)
  const pass = (time: string) =>
    t.deps.pool.query('UPDATE data_export SET created_at = created_at - $2::interval WHERE id = $1', [first, time])
  await pass('23 hours 59 minutes')
  const answers = await Promise.all(times(5, () => user.call(exportData)))
  for (const { status, code, details } of answers) {
    expect({ status, code }).toEqual({ status: 429, code: 'EXPORT_LIMITED' })
    expect(details.retryAfter).toBeGreaterThan(0)
    expect(details.retryAfter).toBeLessThanOrEqual(60)
  }
  const { rows } = await t.deps.pool.query(
    "SELECT FROM pgboss.job WHERE name = 'data-export' AND data ->> 'userId' = $1",
    [user.id],
  )
  expect(rows).toHaveLength(4)
  await pass('1 minute')
  const again = await Promise.all(times(5, () => user.call(exportData)))
  expect(again.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('the address of another user’s action is not in the archive', async () => {
  const user = await checkedMember()
  const userId = user.id as UserId
  for (const [event, address] of [
    ['mobile.moved', '120.24.78.68'],
    ['account.keep', '120.24.78.69'],
  ] as const)
    await recordSecurity(t.deps.db, site.id, { event, userId, address })
  const files = unzip((await fetchFile(user, await exported(user))).rawPayload)
  for (const file of files.values()) {
    expect(file.toString()).toContain('120.24.78.69')
    expect(file.toString()).not.toContain('120.24.78.68')
  }
  expect(files.get('个人信息.json')?.toString()).toContain('mobile.moved')
})

test('D073 a new browser that signed in by a code owes a second kind of proof, to begin and to fetch', async () => {
  const names = { mobile: fresh.mobile(), email: fresh.email(), username: fresh.username() }
  const id = await createUser(t.deps, site.id, { ...names, password }, 'test')
  const browser = { ...(await t.signIn(site, { mobile: names.mobile })), ...names, id }
  await checked(t, browser)
  const owed = { code: 'TWO_FACTOR_REQUIRED', details: { second: ['password', 'email'] } }
  expect(await browser.call(exportData)).toMatchObject(owed)
  const known = await signInAgain(t, site, names)
  await checked(t, known)
  const archive = await exported({ ...known, ...names, id })
  expect((await fetchFile(browser, archive)).json()).toMatchObject(owed)
  expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
  expect((await fetchFile(browser, archive)).statusCode).toBe(200)
})

test('without a session, a check in force or a page of ours nothing is begun or fetched', async () => {
  const user = await checkedMember()
  const id = await exported(user)
  expect((await t.call(site, exportData)).code).toBe('NOT_LOGGED_IN')
  expect((await fetchFile(t.browser(site), id)).json().code).toBe('NOT_LOGGED_IN')
  expect((await fetchFile(user, id, { 'sec-fetch-site': 'cross-site' })).json().code).toBe('ORIGIN_REFUSED')
  expect((await fetchFile(user, id, { 'sec-fetch-site': 'none' })).json().code).toBe('ORIGIN_REFUSED')
  // A copy in the cache still says that the step-up is valid.
  await user.call(dataExports)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE id = $1', [sessionOf(user)])
  expect((await user.call(exportData)).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await fetchFile(user, id)).json().code).toBe('TWO_FACTOR_REQUIRED')
})

test("another's, another site's, an unfinished, an expired and a made-up archive are the same 404", async () => {
  const [user, other] = [await checkedMember(), await checkedMember()]
  const abroad = await t.codeSite()
  const foreigner = await checkedMember(abroad)
  const expired = await exported(user)
  await t.deps.pool.query('UPDATE data_export SET expires_at = clock_timestamp() WHERE id = $1', [expired])
  const waiting = await begin(user)
  const others = [await exported(other), await exported(foreigner, abroad)]
  const bodies = new Set<string>()
  for (const id of [...others, expired, waiting, randomUUID(), 'x', '']) {
    const reply = await fetchFile(user, id)
    expect(reply.statusCode, id).toBe(404)
    bodies.add(reply.body)
  }
  expect(bodies.size).toBe(1)
  expect((await user.call(dataExports)).data?.data.map(({ id }) => id)).toEqual([waiting])
  expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).not.toContain('data.fetch')
})

test('an archive lives a day by the clock of the store, and upkeep drops it then with its bytes', async () => {
  const user = await checkedMember()
  const [old, young] = [await exported(user), await exported(user)]
  const age = (id: string, time: string) =>
    t.deps.pool.query('UPDATE data_export SET expires_at = expires_at - $2::interval WHERE id = $1', [id, time])
  await age(old, '23 hours 59 minutes')
  expect((await fetchFile(user, old)).statusCode).toBe(200)
  await age(old, '1 minute')
  expect((await fetchFile(user, old)).statusCode).toBe(404)
  const stuck = await begin(user)
  await t.deps.pool.query("UPDATE data_export SET created_at = now() - interval '3 days' WHERE id = $1", [stuck])
  await upkeep(t.deps.pool).run({})
  expect(await archivesOf(user.id)).toEqual([young])
  const { rows } = await t.deps.pool.query('SELECT id FROM data_export WHERE user_id = $1', [user.id])
  expect(rows).toEqual([{ id: young }])
})

test('what failed to the last is marked and lets another begin', { timeout: 40_000 }, async () => {
  const user = await checkedMember()
  const id = await begin(user)
  await t.deps.pool.query("UPDATE pgboss.job SET retry_limit = 0 WHERE name = 'data-export' AND data ->> 'id' = $1", [
    id,
  ])
  const broken = {
    name: 'data-export',
    async run(data: unknown) {
      if ((data as { id: string }).id === id) throw new Error('broken')
    },
  }
  const worker = await startJobs(t.deps.config, t.deps.log, [broken, failedDataExportJob(t.deps)])
  const status = async () => (await user.call(dataExports)).data?.data.find((each) => each.id === id)?.status
  await expect.poll(status, { timeout: 20_000 }).toBe('failed')
  await worker.stop()
  expect((await user.call(exportData)).status).toBe(200)
})

test('a user who is erased while their archive is made leaves none', async () => {
  const user = await checkedMember()
  const id = await begin(user)
  const making = await t.deps.db.transaction().execute(async (tx) => {
    await eraseUser(tx, t.deps, site.id, user.id as UserId)
    // The job comes to its end meanwhile and waits for this to end.
    const begun = run(user, id)
    await lockedOut(t.deps.pool, 1)
    return { begun }
  })
  await making.begun
  await run(user, id)
  expect(await archivesOf(user.id)).toEqual([])
})
