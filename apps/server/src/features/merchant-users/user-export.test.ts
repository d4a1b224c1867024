import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { loginByMobile } from '@hufu/contract/login'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import { exportUsers, setUserRights, userExports, type WantedUsers } from '@hufu/contract/merchant-users'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, password, stepUp } from '../../../test/account-user.ts'
import { enrol, makeOperator, withGrace } from '../../../test/enrolled.ts'
import { checked } from '../../../test/operator.ts'
import {
  codeTo,
  fresh,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { startJobs } from '../../platform/jobs/jobs.ts'
import { invalidateUser } from '../../shared/sessions/sessions.ts'
import { upkeep } from '../../worker.ts'
import { createUser, grant } from '../users/users.service.ts'
import { failedExportJob, userExportJob } from './user-export.ts'

let t: TestApp
let site: TestSite
let admin: Member
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  admin = await newAdmin()
})
afterAll(() => t.close())

async function newAdmin(at = site): Promise<Member> {
  const user = await member(t, at)
  await makeOperator(t.deps, at.id, user.id, ['READ', 'ADMIN'])
  await checked(t, user)
  return user
}

const job = (deps = t.deps) => userExportJob(deps)

/** A finished export; its id. */
async function exported(by: TestBrowser, wanted: WantedUsers = {}, at = site): Promise<string> {
  const { data, code } = await by.call(exportUsers, wanted)
  if (!data) throw new Error(`the export was refused: ${code}`)
  await job().run({ siteId: at.id, id: data.id })
  return data.id
}

const headersOf = ({ cookies }: TestBrowser, at = site) => ({
  host: at.host,
  'sec-fetch-site': 'same-origin',
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

const fetchFile = (by: TestBrowser, id: string, headers: Record<string, string> = {}, at = site) =>
  t.app.inject({ method: 'GET', url: `${exportFilePath}?id=${id}`, headers: { ...headersOf(by, at), ...headers } })

const textOf = async (by: TestBrowser, id: string, at = site) =>
  gunzipSync((await fetchFile(by, id, {}, at)).rawPayload).toString()

const crowd = (at: TestSite, count: number) =>
  t.deps.pool.query(
    `INSERT INTO users (site_id, id, listed_at, nickname) SELECT $1, gen_random_uuid(), now() - make_interval(secs => n / 4),
       '众' || n % 7 FROM generate_series(1, $2) n`,
    [at.id, count],
  )

const logOf = async (id: string) =>
  (await t.deps.pool.query('SELECT operator, action, detail FROM operator_log WHERE target = $1 ORDER BY at', [id]))
    .rows

test('an export is a CSV file of all users, newest first, that only its operator can fetch', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  const given = { mobile: fresh.mobile(), email: fresh.email(), username: fresh.username(), nickname: '王小明' }
  const id = await createUser(t.deps, at.id, given, 'test')
  await t.deps.pool.query(
    "UPDATE users SET status = 'disabled', listed_at = '2026-11-15T01:30:00Z'::timestamptz - interval '1 year' WHERE id = $1",
    [id],
  )
  const begun = (await owner.call(exportUsers, {})).data
  expect(begun).toMatchObject({ status: 'waiting', done: 0, total: 2, expires: null })
  await job().run({ siteId: at.id, id: begun?.id })
  const list = (await owner.call(userExports)).data
  expect(list).toEqual({
    count: 1,
    data: [{ id: begun?.id, status: 'done', done: 2, total: 2, time: begun?.time, expires: expect.any(Number) }],
  })
  expect(Math.abs((list?.data[0]?.expires ?? 0) - Date.now() - 86_400_000)).toBeLessThan(60_000)
  const reply = await fetchFile(owner, begun?.id ?? '', {}, at)
  expect(reply.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-encoding': 'gzip',
    'content-disposition': expect.stringMatching(/^attachment; filename="users-\d{8}\.csv"$/),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  const lines = gunzipSync(reply.rawPayload).toString().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toBe('\uFEFF编号,昵称,区号,手机号,电子邮箱,用户名,状态,注册时间,最近访问')
  expect(lines[1]).toMatch(new RegExp(`^${owner.id},,86,${owner.mobile},${owner.email},${owner.username},正常,`))
  expect(lines[2]).toBe(`${id},王小明,86,${given.mobile},${given.email},${given.username},已停用,2025-11-15 09:30:00,`)
})

test('cells that a spreadsheet would take for a formula, and those with signs of CSV, stay text', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  const names = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', 'a,b', 'say "hi"', 'two\nlines', "it's", ' =1']
  for (const nickname of names) {
    const { rows } = await t.deps.pool.query(
      'INSERT INTO users (site_id, id, nickname) VALUES ($1, $2, $3) RETURNING id',
      [at.id, randomUUID(), nickname],
    )
    expect(rows).toHaveLength(1)
  }
  const text = await textOf(owner, await exported(owner, {}, at), at)
  for (const cell of [
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    "'\t=1",
    '"\'\r=1"',
    "'＝1",
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    "it's",
    ' =1',
  ])
    expect(text, cell).toContain(`,${cell},,,,,正常,`)
})

test('a search or a filter is exported in full, no user twice', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  await crowd(at, 6_000)
  const file = async (wanted: WantedUsers) => {
    const text = await textOf(owner, await exported(owner, wanted, at), at)
    return text.split('\r\n').slice(1, -1)
  }
  const named = await file({ search: '众' })
  expect(new Set(named.map((line) => line.slice(0, 36))).size).toBe(6_000)
  expect(named).toHaveLength(6_000)
  expect(await file({ search: '众3' })).toHaveLength(857)
  expect((await file({ only: 'operators' })).map((line) => line.slice(0, 36))).toEqual([owner.id])
  expect(await file({ search: owner.username })).toHaveLength(1)
  expect(await file({ search: 'no_such_user' })).toEqual([])
  const from = Date.now() - 600_000
  const recent = await file({ from })
  expect(recent.length).toBeGreaterThan(2_000)
  expect(recent.length + (await file({ to: from })).length).toBe(6_001)
})

test('what is exported and fetched is recorded, without what was searched for', async () => {
  const owner = await newAdmin()
  const searched = await exported(owner, { search: owner.mobile })
  expect(await logOf(searched)).toEqual([
    { operator: owner.id, action: 'user.export', detail: { search: true, count: 1 } },
  ])
  const filtered = await exported(owner, { only: 'disabled', from: 5 })
  await fetchFile(owner, filtered)
  expect(await logOf(filtered)).toEqual([
    { operator: owner.id, action: 'user.export', detail: { only: 'disabled', from: 5, count: expect.any(Number) } },
    { operator: owner.id, action: 'user.exportFile', detail: {} },
  ])
})

test('an operator has one unfinished export at a time, also when several are asked for at once', async () => {
  const owner = await newAdmin()
  const replies = await Promise.all(times(5, () => owner.call(exportUsers, {})))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(replies.filter(({ code }) => code === 'EXPORT_BUSY')).toHaveLength(4)
  const id = replies.find(({ data }) => data)?.data?.id ?? ''
  expect(await logOf(id)).toHaveLength(1)
  const { rows } = await t.deps.pool.query("SELECT FROM pgboss.job WHERE name = 'user-export' AND data ->> 'id' = $1", [
    id,
  ])
  expect(rows).toHaveLength(1)
  const other = await newAdmin()
  expect((await other.call(exportUsers, {})).status).toBe(200)
  await job().run({ siteId: site.id, id })
  expect((await owner.call(exportUsers, {})).status).toBe(200)
})

test('D011 only ADMIN exports, after an identity check', async () => {
  const reader = await member(t, site)
  await makeOperator(t.deps, site.id, reader.id, ['READ', 'WRITE'])
  await checked(t, reader)
  expect((await reader.call(exportUsers, {})).code).toBe('FORBIDDEN')
  expect((await reader.call(userExports)).code).toBe('FORBIDDEN')
  await makeOperator(t.deps, site.id, reader.id, ['ADMIN'])
  expect((await reader.call(exportUsers, {})).status).toBe(200)
  const unchecked = await member(t, site)
  await makeOperator(t.deps, site.id, unchecked.id, ['READ', 'ADMIN'])
  expect((await unchecked.call(exportUsers, {})).code).toBe('TWO_FACTOR_REQUIRED')
})

test('D073 an export from a browser that is new to the account needs a second kind of proof', async () => {
  const own = await startTestApp(withGrace())
  const at = await own.codeSite()
  const mobile = fresh.mobile()
  const id = await createUser(own.deps, at.id, { mobile, username: fresh.username(), password }, 'test')
  await grant(own.deps, at.id, id, 'MERCHANT', ['READ', 'ADMIN'], 'test')
  const browser = own.browser(at)
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile })
  await browser.call(loginByMobile, { mobilePrefix: '86', mobile, code: await codeTo(mobile) })
  await stepUp(own, at, browser, mobile)
  const refused = await browser.call(exportUsers, {})
  expect(refused).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { second: ['password'] } })
  await own.close()
})

test('the file is the same 404 for all others, unfinished, expired or made up', async () => {
  const id = await exported(admin)
  const other = await newAdmin()
  const elsewhere = await t.codeSite()
  const foreign = await newAdmin(elsewhere)
  const unfinished = (await admin.call(exportUsers, {})).data?.id ?? ''
  const replies = [
    await fetchFile(other, id),
    await fetchFile(foreign, id, {}, elsewhere),
    await fetchFile(admin, unfinished),
    await fetchFile(admin, randomUUID()),
    await fetchFile(admin, 'x'),
    await fetchFile(admin, `${id}&id=${id}`),
  ]
  await job().run({ siteId: site.id, id: unfinished })
  expect((await fetchFile(admin, id)).statusCode).toBe(200)
  await t.deps.pool.query('UPDATE user_export SET expires_at = now() WHERE id = $1', [id])
  replies.push(await fetchFile(admin, id))
  expect(new Set(replies.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
  expect(replies[0]?.statusCode).toBe(404)
  expect((await admin.call(userExports)).data?.data.map((each) => each.id)).not.toContain(id)
})

test('the file needs a session, ADMIN still, and a page of our own that leads to it', async () => {
  const owner = await newAdmin()
  const id = await exported(owner)
  for (const from of ['cross-site', 'same-site', 'none'])
    expect((await fetchFile(owner, id, { 'sec-fetch-site': from })).statusCode, from).toBe(403)
  expect((await fetchFile(t.browser(site), id)).statusCode).toBe(401)
  await t.deps.pool.query("DELETE FROM permission WHERE user_id = $1 AND action = 'ADMIN'", [owner.id])
  await invalidateUser(t.deps, site.id, owner.id as UserId)
  expect((await fetchFile(owner, id)).statusCode).toBe(403)
})

test('an export that fails in the middle goes on where it stopped', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  await crowd(at, 12_000)
  const id = (await owner.call(exportUsers, {})).data?.id ?? ''
  await t.deps.pool.query(`CREATE FUNCTION fail_part() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.number = 1 THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$`)
  await t.deps.pool.query(
    'CREATE TRIGGER fail_part BEFORE INSERT ON user_export_part FOR EACH ROW EXECUTE FUNCTION fail_part()',
  )
  await expect(job().run({ siteId: at.id, id })).rejects.toThrow('no')
  expect((await owner.call(userExports)).data?.data[0]).toMatchObject({ status: 'running', done: 5_000, total: 12_001 })
  await t.deps.pool.query('DROP TRIGGER fail_part ON user_export_part')
  // Two that take it up at once, as after a worker that was only slow.
  await Promise.allSettled(times(2, () => job().run({ siteId: at.id, id })))
  expect((await owner.call(userExports)).data?.data[0]).toMatchObject({ status: 'done', done: 12_001, total: 12_001 })
  const lines = (await textOf(owner, id, at)).split('\r\n').slice(1, -1)
  expect(lines).toHaveLength(12_001)
  expect(new Set(lines).size).toBe(12_001)
})

test('a long export is handed on from job to job', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  await crowd(at, 16_000)
  const id = (await owner.call(exportUsers, {})).data?.id ?? ''
  let time = 0
  const slow = { ...t.deps, clock: { now: () => (time += 15_000) } }
  await job(slow).run({ siteId: at.id, id })
  const queued = async () =>
    (await t.deps.pool.query("SELECT FROM pgboss.job WHERE name = 'user-export' AND data ->> 'id' = $1", [id])).rowCount
  expect(await queued()).toBe(2)
  expect((await owner.call(userExports)).data?.data[0]).toMatchObject({ status: 'running', done: 10_000 })
  await job(slow).run({ siteId: at.id, id })
  expect((await owner.call(userExports)).data?.data[0]).toMatchObject({ status: 'done', done: 16_001 })
  expect(await queued()).toBe(2)
})

test('what failed to the last is marked, keeps nothing and lets another begin', async () => {
  const owner = await newAdmin()
  const id = (await owner.call(exportUsers, {})).data?.id ?? ''
  await t.deps.pool.query("UPDATE pgboss.job SET retry_limit = 0 WHERE name = 'user-export'")
  await t.deps.pool.query("INSERT INTO user_export_part VALUES ($1, $2, 0, '')", [site.id, id])
  const broken = {
    name: 'user-export',
    async run() {
      throw new Error('broken')
    },
  }
  const worker = await startJobs(t.deps.config, t.deps.log, [broken, failedExportJob(t.deps)])
  const status = async () => (await owner.call(userExports)).data?.data.find((each) => each.id === id)?.status
  await expect.poll(status, { timeout: 15_000 }).toBe('failed')
  await worker.stop()
  const parts = await t.deps.pool.query('SELECT FROM user_export_part WHERE export_id = $1', [id])
  expect(parts.rowCount).toBe(0)
  expect((await fetchFile(owner, id)).statusCode).toBe(404)
  expect((await owner.call(exportUsers, {})).status).toBe(200)
})

test('upkeep drops files that have expired and no others', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  const [old, young] = [await exported(owner, {}, at), await exported(owner, {}, at)]
  await t.deps.pool.query("UPDATE user_export SET expires_at = now() - interval '1 s' WHERE id = $1", [old])
  await upkeep(t.deps.pool).run({})
  const { rows } = await t.deps.pool.query(
    'SELECT DISTINCT export_id AS id FROM user_export_part WHERE export_id = ANY($1)',
    [[old, young]],
  )
  expect(rows).toEqual([{ id: young }])
  const kept = await t.deps.pool.query('SELECT id FROM user_export WHERE id = ANY($1)', [[old, young]])
  expect(kept.rows).toEqual([{ id: young }])
})

test('a file is read as fast as the browser takes it, and a browser that goes away leaves nothing behind', async () => {
  const at = await t.codeSite()
  const owner = await newAdmin(at)
  const id = await exported(owner, {}, at)
  // Far more than any buffer on the way holds.
  await t.deps.pool.query('UPDATE user_export SET parts = 65 WHERE id = $1', [id])
  await t.deps.pool.query(
    `INSERT INTO user_export_part SELECT $1, $2, n, decode(repeat('00', 1000000), 'hex') FROM generate_series(1, 64) n`,
    [at.id, id],
  )
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = t.app.server.address() as AddressInfo
  const sockets: Socket[] = []
  t.app.server.on('connection', (socket) => sockets.push(socket))
  const request = get({ port, path: `${exportFilePath}?id=${id}`, headers: headersOf(owner, at) })
  const [response] = await once(request, 'response')
  response.pause()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  // Given to the system or waiting for it: what its buffers hold, and no more of the 64 MB.
  expect(sockets[0]?.bytesWritten).toBeLessThan(20_000_000)
  // It isn't among the calls in progress while it lasts.
  expect(t.app.idle()).toBe(true)
  request.destroy()
  await expect.poll(() => new Promise((resolve) => t.app.server.getConnections((_, count) => resolve(count)))).toBe(0)
  expect(t.app.idle()).toBe(true)
  expect((await owner.call(userExports)).status).toBe(200)
  expect(t.app.idle()).toBe(true)
})

test('D088 an ADMIN who was appointed by another one exports after 72 hours; every ADMIN is mailed', async () => {
  const [at, mails] = [await t.codeSite(), 'SELECT data FROM pgboss.job WHERE name = $1 AND data->>$2 = $3']
  const [first, second] = [await newAdmin(at), await member(t, at)]
  await stepUp(t, at, second, second.mobile)
  expect((await first.call(setUserRights, { id: second.id, actions: ['ADMIN'] })).status).toBe(200)
  expect((await second.call(exportUsers, {})).code).toBe('FACTOR_ENROL_REQUIRED')
  await enrol(t.deps, at.id, second.id)
  const early = await second.call(exportUsers, {})
  expect(early).toMatchObject({ status: 403, code: 'OPERATOR_TOO_NEW' })
  expect(Math.abs(Number(early.details?.until) - Date.now() - 72 * 3_600_000)).toBeLessThan(60_000)
  await t.deps.pool.query("UPDATE permission SET granted_at = granted_at - interval '73 hours' WHERE user_id = $1", [
    second.id,
  ])
  expect((await second.call(exportUsers, {})).status).toBe(200)
  for (const { email } of [first, second]) {
    const { rows } = await t.deps.pool.query(mails, ['mail-notice', 'to', email])
    const subjects = rows.map(({ data }) => data.subject as string)
    expect(subjects).toEqual(expect.arrayContaining(['管理后台有新的授权', '用户数据被导出']))
  }
})
