import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { queryUsers } from '@hufu/contract/merchant-users'
import { queryOperatorLog } from '@hufu/contract/operators'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFiles, jsonl } from '../../../test/import-files.ts'
import { newOperator } from '../../../test/operator.ts'
import {
  createDatabase,
  fresh,
  startTestApp,
  type TestApp,
  type TestSite,
  testConfig,
  testKeys,
} from '../../../test/test-app.ts'
import { newUserId } from '../../platform/ids.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { countUsers } from '../users/user-counts.ts'
import { sealSome } from '../users/user-list-index.store.ts'
import { createUserListIndexes } from '../users/user-list-index.ts'
import { createUser } from '../users/users.service.ts'
import { giveName } from '../users/users.store.ts'

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

interface Progress {
  lines: number
  imported: number
  refused: number
  finished: boolean
}

const progressOf = async ({ id }: TestSite): Promise<Progress[]> =>
  (
    await t.deps.pool.query(
      `SELECT lines::int, imported::int, refused::int, finished_at IS NOT NULL AS finished
       FROM user_import WHERE site_id = $1 ORDER BY started_at`,
      [id],
    )
  ).rows

const countOf = async ({ id }: TestSite, table = 'users'): Promise<number> =>
  (await t.deps.pool.query(`SELECT count(*)::int AS count FROM ${table} WHERE site_id = $1`, [id])).rows[0].count

/** Every tenth row is refused, by itself or by an earlier one. */
function someRows(count: number) {
  const rows: Record<string, string>[] = []
  for (let n = 0; n < count; n++) {
    if (n % 20 === 9) rows.push({ username: '坏' })
    else if (n % 20 === 19) rows.push({ username: rows[n - 5]?.username ?? '' })
    else rows.push({ username: fresh.username(), email: fresh.email() })
  }
  const refused = rows.flatMap((_, n) => (n % 10 === 9 ? [n + 1] : []))
  return { rows, refused }
}

/** Runs the import and kills it once it has come past so many lines. */
async function killAfter(site: TestSite, args: string[], lines: number): Promise<void> {
  const running = files.start(args)
  const ended = once(running, 'exit')
  await expect
    .poll(async () => (await progressOf(site))[0]?.lines ?? 0, { timeout: 180_000, interval: 5 })
    .toBeGreaterThan(lines)
  running.kill('SIGKILL')
  const [, signal] = await ended
  expect(signal).toBe('SIGKILL')
}

test('D492 an import that was killed three times has imported each row once, counted and reported it once', {
  timeout: 180_000,
}, async () => {
  const site = await t.codeSite()
  const operator = await newOperator(t, site, ['READ', 'ADMIN'])
  const names = await countOf(site, 'identity')
  const { rows, refused } = someRows(20_000)
  const path = files.write(jsonl(rows))
  const report = files.pathOf('jsonl')
  const args = ['users', 'import', site.host, path, '--report', report, '--by', 'lin.zhixia']
  for (const lines of [0, 4_000, 9_000]) {
    await killAfter(site, args, lines)
    const [progress] = await progressOf(site)
    expect(progress).toMatchObject({ finished: false })
    // The server rolls an open batch back soon after the process is gone.
    await expect.poll(() => countOf(site), { timeout: 30_000 }).toBe((progress?.imported ?? 0) + 1)
    expect(await files.hufu(['users', 'imports', site.host])).toContain('unfinished after line')
  }
  const printed = await files.hufu(args)
  expect(printed).toContain('18,000 users imported, 2,000 rows refused')
  expect(await progressOf(site)).toEqual([{ lines: 20_000, imported: 18_000, refused: 2_000, finished: true }])
  expect(await countOf(site)).toBe(18_001)
  expect(await countOf(site, 'identity')).toBe(36_000 + names)
  const reported = await files.readRefused(report)
  expect(reported.map(({ line }) => line)).toEqual(refused)

  const { data } = (await operator.call(queryOperatorLog, { action: 'user.import' })).data ?? {}
  expect(data).toMatchObject([{ by: 'lin.zhixia', detail: { count: 18_000, refused: 2_000 } }])
})

test('D492 a file that was changed is another import, and rows that are there already are refused', {
  timeout: 240_000,
}, async () => {
  const site = await t.site()
  const { rows } = someRows(6_000)
  const path = files.write(jsonl(rows))
  const args = ['users', 'import', site.host, path, '--report', files.pathOf('jsonl'), '--rate', '4000']
  await killAfter(site, args, 500)
  const [{ imported = 0 } = {}] = await progressOf(site)
  appendFileSync(path, jsonl([{ username: fresh.username() }]))
  const { printed, refused } = await files.importFile(site.host, path)
  expect(printed).toContain(`${(5_401 - imported).toLocaleString('en-US')} users imported`)
  expect(refused.filter(({ code, line }) => code === 'NAME_TAKEN' && line % 10 !== 0).length).toBeGreaterThanOrEqual(
    imported,
  )
  expect(await progressOf(site)).toMatchObject([{ finished: false }, { finished: true, lines: 6_001 }])
  expect(await countOf(site)).toBe(5_401)
})

test('D492 a report that the interrupted import did not write is not continued, nor is another file overwritten', {
  timeout: 240_000,
}, async () => {
  const site = await t.site()
  const path = files.write(jsonl(someRows(6_000).rows))
  const report = files.pathOf('jsonl')
  await killAfter(site, ['users', 'import', site.host, path, '--report', report, '--rate', '4000'], 500)
  const again = (other: string) => files.hufu(['users', 'import', site.host, path, '--report', other])
  await expect(again(files.pathOf('jsonl'))).rejects.toThrow('is shorter than the interrupted import left it')
  expect(await again(report)).toContain('5,400 users imported')
  await expect(files.hufu(['users', 'import', site.host, path, '--report', report])).rejects.toThrow('exists already')
})

test('D493 beside sign-ups of the same names each name has one user, and the counts are exact', {
  timeout: 240_000,
}, async () => {
  const site = await t.site()
  const names = Array.from({ length: 3_000 }, () => fresh.username())
  const path = files.write(jsonl(names.map((username) => ({ username, email: fresh.email() }))))
  const report = files.pathOf('jsonl')
  const running = files.start(['users', 'import', site.host, path, '--report', report])
  const ended = once(running, 'exit')
  let signedUp = 0
  // From both ends, while the import runs: some come before it, some after, some at the same moment.
  for (let n = 0; n < 400; n++) {
    const username = names[n % 2 === 0 ? n : names.length - n] ?? ''
    await createUser(t.deps, site.id, { username }, 'test').then(
      () => signedUp++,
      () => {},
    )
  }
  expect((await ended)[0]).toBe(0)
  const [progress] = await progressOf(site)
  expect(progress).toMatchObject({ imported: 3_000 - signedUp, refused: signedUp, finished: true })
  expect(await countOf(site)).toBe(3_000)
  const { rows } = await t.deps.pool.query(
    `SELECT count(*)::int AS count FROM users u WHERE site_id = $1 AND NOT EXISTS (SELECT FROM identity i
       WHERE i.site_id = u.site_id AND i.user_id = u.id AND i.kind = 'username' AND i.value = lower(u.username))`,
    [site.id],
  )
  expect(rows[0].count).toBe(0)
  const taken = await files.readRefused(report)
  expect(taken.every(({ code }) => code === 'NAME_TAKEN')).toBe(true)
  expect(taken).toHaveLength(signedUp)
})

test('D493 an import gives way to a sign-up that holds one of its names, and takes what that leaves', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const [kept, left] = [fresh.username(), fresh.username()]
  const path = files.write(jsonl([{ username: kept }, { username: left }, { username: fresh.username() }]))
  const report = files.pathOf('jsonl')
  const holding = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const signUp = t.deps.db.transaction().execute(async (tx) => {
    await giveName(tx, withoutStepUp('registration'), site.id, newUserId(), 'username', kept)
    holding.resolve()
    await commit.promise
  })
  await holding.promise
  const running = files.start(['users', 'import', site.host, path, '--report', report])
  const ended = once(running, 'exit')
  const waits = async () =>
    (
      await t.deps.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO identity%'",
      )
    ).rows.length
  await expect.poll(waits, { timeout: 30_000, interval: 5 }).toBe(1)
  // It doesn't wait for long, and holds nothing in between.
  await expect.poll(waits, { timeout: 30_000, interval: 5 }).toBe(0)
  commit.resolve()
  await signUp
  expect((await ended)[0]).toBe(0)
  expect(await files.readRefused(report)).toMatchObject([{ line: 1, field: 'username', code: 'NAME_TAKEN' }])
  expect(await progressOf(site)).toMatchObject([{ imported: 2, refused: 1 }])
})

test('D493 one import of a site runs at a time', { timeout: 240_000 }, async () => {
  const site = await t.site()
  const path = files.write(jsonl(someRows(6_000).rows))
  const running = files.start(['users', 'import', site.host, path, '--report', files.pathOf('jsonl'), '--rate', '100'])
  const ended = once(running, 'exit')
  await expect.poll(async () => (await progressOf(site)).length, { timeout: 30_000 }).toBe(1)
  const other = files.write(jsonl([{ username: fresh.username() }]))
  await expect(files.importFile(site.host, other)).rejects.toThrow('another import of this site is running')
  running.kill('SIGKILL')
  await ended
  expect((await files.importFile(site.host, other)).printed).toContain('1 users imported')
})

test('D494 the user list, its counts and the search find imported users, whatever their time', {
  timeout: 240_000,
}, async () => {
  const site = await t.codeSite()
  const operator = await newOperator(t, site, ['READ'])
  await t.deps.pool.query(
    `INSERT INTO users (site_id, id, listed_at)
     SELECT $1, gen_random_uuid(), now() - interval '1 hour' - make_interval(hours => n) FROM generate_series(1, 2000) n`,
    [site.id],
  )
  while (await sealSome(t.deps.db, site.id)) await sleep(0)
  expect(await countOf(site, 'user_bucket')).toBe(3)
  const email = fresh.email()
  const rows = Array.from({ length: 1_200 }, (_, n) => ({
    username: fresh.username(),
    createdAt: new Date(Date.now() - 3_600_000 * (n + 100)).toISOString(),
    ...(n === 700 && { email, nickname: '海风小店' }),
  }))
  await files.importFile(site.host, files.write(jsonl(rows)))
  const counted = { ...t.deps, pool: t.deps.pool }
  const read = async () => {
    const { data, count } = (await operator.call(queryUsers, { top: 100, skip: 1_000 })).data ?? {}
    return { ids: data?.map(({ id }) => id), count }
  }
  const expected = async () =>
    (
      await t.deps.pool.query(
        'SELECT id FROM users WHERE site_id = $1 ORDER BY listed_at DESC, id DESC OFFSET 1000 LIMIT 100',
        [site.id],
      )
    ).rows.map(({ id }) => id)
  expect(await countUsers(counted, site.id)).toBe(3_201)
  expect(await read()).toEqual({ ids: await expected(), count: 3_201 })
  while (await sealSome(t.deps.db, site.id)) await sleep(0)
  expect(await countOf(site, 'user_bucket')).toBe(6)
  const { before } = await createUserListIndexes(t.deps).of(site.id)
  expect(before.at(-1)).toBe(6 * 512)
  for (const search of [email, '海风小店', rows[3]?.username])
    expect((await operator.call(queryUsers, { search, top: 10 })).data?.data).toHaveLength(1)
})
