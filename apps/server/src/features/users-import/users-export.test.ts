import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { loginByPassword } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFiles, jsonl, type Row } from '../../../test/import-files.ts'
import { newOperator } from '../../../test/operator.ts'
import {
  createDatabase,
  fresh,
  messagesTo,
  startTestApp,
  type TestApp,
  type TestSite,
  testConfig,
  testKeys,
} from '../../../test/test-app.ts'
import { hashPassword } from '../../platform/crypto/password-hash.ts'
import { mailNoticeJob } from '../../shared/notices/mail-notices.ts'

let t: TestApp
let files: ReturnType<typeof importFiles>
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  const HUFU_KEYS = testKeys()
  t = await startTestApp({ HUFU_DATABASE_URL, HUFU_KEYS })
  const { redisUrl } = testConfig({ HUFU_DATABASE_URL })
  files = importFiles({ HUFU_DATABASE_URL, HUFU_REDIS_URL: redisUrl, HUFU_KEYS, HUFU_LOAD_SHEDDING: '0' })
})
afterAll(() => t.close())

/** All that an export is to carry, without the site. */
async function contentOf({ id }: TestSite): Promise<unknown> {
  const queries = [
    `SELECT id, listed_at::text, status, nickname, wechat_nickname, wechat_open_id, mobile_prefix, mobile, email, username
     FROM users WHERE site_id = $1 ORDER BY id`,
    'SELECT kind, value, user_id, proved_at::text FROM identity WHERE site_id = $1 ORDER BY kind, value',
    'SELECT user_id, kind, value FROM user_identity WHERE site_id = $1 ORDER BY kind, value',
    'SELECT user_id, kind, secret, imported_form FROM credential WHERE site_id = $1 ORDER BY user_id',
    'SELECT user_id, last_access::text FROM user_access WHERE site_id = $1 ORDER BY user_id',
  ]
  return await Promise.all(queries.map(async (query) => (await t.deps.pool.query(query, [id])).rows))
}

async function fill(site: TestSite): Promise<void> {
  const own = await hashPassword({ loadShedding: false }, 'Qy#2026autumn')
  const rows: Row[] = Array.from({ length: 2_100 }, (_, n) => ({
    username: fresh.username(),
    createdAt: `2020-01-01T00:00:00.${String(n * 7).padStart(6, '0')}Z`,
    ...(n % 2 === 0 && { mobile: fresh.mobile(), mobileVerifiedAt: '2026-01-01T00:00:00Z' }),
    ...(n % 3 === 0 && { email: fresh.email(), passwordHash: own }),
    ...(n % 5 === 0 && { nickname: `=小,"明"${n}`, status: 'disabled' }),
    ...(n % 7 === 0 && {
      wechat: `wx1:o${n}:u${n} wx2:p${n}`,
      wechatNickname: '风',
      lastAccessAt: '2026-02-03T04:05:06Z',
    }),
    ...(n % 11 === 0 && { passwordHash: '$2b$10$WPs2XWNuaOMoCHzweji8LenYpYQftR5LE/9rL9ERPqXf4.W4ZyHjm' }),
  }))
  rows.push({ username: fresh.username(), passwordAlgorithm: 'md5(password)', passwordHash: '0'.repeat(32) })
  expect((await files.importFile(site.host, files.write(jsonl(rows)))).refused).toEqual([])
}

test.each(['jsonl', 'csv'])(
  'D495 an export to %s and its import into an empty site give the same users',
  {
    timeout: 240_000,
  },
  async (format) => {
    const [from, to] = [await t.codeSite(), await t.codeSite()]
    await fill(from)
    // Signed in here, so proved by a code and in the list.
    await t.signIn(from)
    const path = files.pathOf(format)
    await files.hufu(['users', 'export', from.host, '--out', path, '--with-hashes'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await files.importFile(to.host, path)).refused).toEqual([])
    expect(await contentOf(to)).toEqual(await contentOf(from))
  },
)

test('D496 hashes leave only on demand, the file is a new one, and users who wait to be erased are left out', {
  timeout: 180_000,
}, async () => {
  const site = await t.codeSite()
  const [stays, leaves] = [fresh.username(), fresh.username()]
  const passwordHash = await hashPassword({ loadShedding: false }, 'Qy#2026autumn')
  await files.importFile(site.host, files.write(jsonl([{ username: stays, passwordHash }, { username: leaves }])))
  await t.deps.pool.query(
    `INSERT INTO deletion (site_id, user_id, due_at) SELECT site_id, id, now() + interval '7 days' FROM users
     WHERE site_id = $1 AND username = $2`,
    [site.id, leaves],
  )
  const out = await files.hufu(['users', 'export', site.host])
  expect(out.split('\n').map((line) => JSON.parse(line).username)).toEqual([stays])
  for (const format of ['jsonl', 'csv']) {
    const plain = await files.hufu(['users', 'export', site.host, '--format', format])
    expect(plain).not.toMatch(/argon2|password/)
    expect(await files.hufu(['users', 'export', site.host, '--format', format, '--with-hashes'])).toContain(
      passwordHash,
    )
  }
  const path = files.write('mine', 'jsonl')
  await expect(files.hufu(['users', 'export', site.host, '--out', path])).rejects.toThrow('EEXIST')
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

test('D496 an export is in the operator log and every ADMIN is notified of it, before a row has left', {
  timeout: 180_000,
}, async () => {
  const site = await t.codeSite()
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  const email = fresh.email()
  await t.deps.pool.query('UPDATE users SET email = $3 WHERE site_id = $1 AND id = $2', [site.id, admin.id, email])
  await files.hufu(['users', 'export', site.host, '--with-hashes', '--by', 'lin.zhixia'])
  const { rows } = await t.deps.pool.query(
    "SELECT operator, detail FROM operator_log WHERE site_id = $1 AND action = 'user.export'",
    [site.id],
  )
  expect(rows).toEqual([{ operator: 'cli:lin.zhixia', detail: { count: 1, withHashes: true } }])
  const jobs = await t.deps.pool.query(
    "SELECT data FROM pgboss.job WHERE name = 'mail-notice' AND data ->> 'to' = $1",
    [email],
  )
  expect(jobs.rows.map(({ data }) => data.subject)).toEqual(['用户数据被导出'])
  for (const { data } of jobs.rows) await mailNoticeJob(t.deps).run(data)
  expect((await messagesTo(email))[0]?.text).toMatch(/lin\.zhixia（命令行）.*以及密码摘要/)
})

test('D495 an exported foreign hash signs in after its import', { timeout: 180_000 }, async () => {
  const [from, to] = [await t.site(), await t.site()]
  const username = fresh.username()
  const row = { username, passwordAlgorithm: 'md5(md5(password)+salt)', passwordSalt: 'x7', passwordHash: '' }
  const md5 = (text: string) => createHash('md5').update(text).digest('hex')
  await files.importFile(from.host, files.write(jsonl([{ ...row, passwordHash: md5(`${md5('Küche 7')}x7`) }])))
  const path = files.pathOf('csv')
  await files.hufu(['users', 'export', from.host, '--out', path, '--with-hashes'])
  await files.importFile(to.host, path)
  expect((await t.call(to, loginByPassword, { account: username, password: 'Küche 7' })).status).toBe(200)
})
