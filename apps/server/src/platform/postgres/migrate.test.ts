import { randomUUID } from 'node:crypto'
import { sendFeedback } from '@hufu/contract/feedback'
import { Client } from 'pg'
import { expect, inject, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { held } from '../../../test/race.ts'
import { createDatabase, startTestApp } from '../../../test/test-app.ts'
import { migrate, missingSteps } from './migrate.ts'

async function emptyDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new Client({ connectionString: `${inject('postgresUrl')}postgres` })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return inject('postgresUrl') + name
}

async function query(url: string, text: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

async function pendingMigrations(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return await missingSteps(client).finally(() => client.end())
}

test('five processes migrating at once apply each step once, and a second run does nothing', async () => {
  const url = await emptyDatabase()
  expect((await pendingMigrations(url)).length).toBeGreaterThan(0)
  const lines: string[] = []
  await Promise.all(Array.from({ length: 5 }, () => migrate(url, (line) => void lines.push(line))))
  expect(new Set(lines).size).toBe(lines.length)
  expect(await pendingMigrations(url)).toEqual([])
  await migrate(url, (line) => void lines.push(`again ${line}`))
  expect(lines.filter((line) => line.startsWith('again'))).toEqual([])
})

test('a step that was changed after it had been applied is refused', async () => {
  const url = await createDatabase()
  await query(url, "UPDATE migration SET hash = 'other' WHERE number = 1")
  await expect(migrate(url, () => {})).rejects.toThrow('0001_sites.sql was changed')
})

test('logs are partitioned by month, and old months of the security log are dropped whole', async () => {
  const url = await createDatabase()
  await query(
    url,
    `CREATE TABLE security_log_2020_01 PARTITION OF security_log FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
     INSERT INTO security_log (site_id, at, event) VALUES
       (gen_random_uuid(), '2020-01-15', 'old'), (gen_random_uuid(), '2019-06-01', 'older'), (gen_random_uuid(), now(), 'new');
     SELECT make_log_partitions(2);
     SELECT drop_old_security_log(183)`,
  )
  expect(await query(url, 'SELECT event FROM security_log')).toEqual([{ event: 'new' }])
  expect(await query(url, "SELECT to_regclass('security_log_2020_01') AS there")).toEqual([{ there: null }])
  const months = await query(
    url,
    "SELECT count(*)::int AS n FROM pg_inherits WHERE inhparent = 'operator_log'::regclass",
  )
  expect(months).toEqual([{ n: 4 }])
})

/** As before the step that builds indexes, with rows. */
async function beforeIndexes(): Promise<string> {
  const url = await createDatabase()
  await query(
    url,
    `DELETE FROM migration WHERE name = '0022_found_by_person.sql'; DROP INDEX security_log_by_address;
     INSERT INTO security_log (site_id, event, address) SELECT gen_random_uuid(), 'old', '10.0.0.1' FROM generate_series(1, 100)`,
  )
  return url
}

const building = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'hufu migrate'
  AND wait_event = 'virtualxid' AND query LIKE 'CREATE INDEX CONCURRENTLY%security_log%'`

const indexes = `SELECT count(*) FILTER (WHERE NOT indisvalid)::int AS half, count(*)::int AS n FROM pg_index
  JOIN pg_class ON oid = indexrelid WHERE relname LIKE 'security_log%by_address'`

test('an index of a log is built while others write it, and one that was broken off is built anew', async () => {
  const url = await beforeIndexes()
  const reader = new Client({ connectionString: url })
  await reader.connect()
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT FROM security_log')
  const ended = migrate(url, () => {}).catch((error: Error) => error.message)
  await expect.poll(() => query(url, building), { timeout: 10_000 }).toHaveLength(1)
  // The build waits for the reader, and no statement waits for the build.
  await query(
    url,
    "SET lock_timeout = '1s'; INSERT INTO security_log (site_id, event, address) VALUES (gen_random_uuid(), 'new', '10.0.0.2')",
  )
  await query(url, `SELECT pg_cancel_backend(pid) FROM (${building}) b`)
  expect(await ended).toContain('0022_found_by_person.sql')
  expect((await query(url, indexes))[0].half).toBeGreaterThan(1)
  await reader.end()
  await migrate(url, () => {})
  const partitions = await query(url, "SELECT FROM pg_inherits WHERE inhparent = 'security_log'::regclass")
  expect(await query(url, indexes)).toEqual([{ half: 0, n: partitions.length + 1 }])
  await migrate(url, () => {})
})

/** As before conversations had pictures, notes and ratings. */
const beforeTalk = `DELETE FROM migration WHERE number IN (23, 25, 27);
  DROP TABLE feedback_picture, feedback_note, quick_reply; ALTER TABLE feedback_entry DROP COLUMN pictures;
  ALTER TABLE feedback DROP COLUMN rating, DROP COLUMN rating_words, DROP COLUMN rated_at`

const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'hufu migrate'
  AND wait_event_type = 'Lock'`

test('users go on sending while conversations get new columns: no call is refused, and no step fails', {
  timeout: 60_000,
}, async () => {
  const t = await startTestApp()
  const { databaseUrl: url } = t.deps.config
  const site = await t.codeSite()
  const user = await t.signIn(site)
  const id = (await user.call(sendFeedback, { message: '第一条' })).data?.id ?? ''
  await query(url, beforeTalk)
  let done = false
  const statuses: number[] = []
  const sender = async (into: string | undefined) => {
    while (!done) statuses.push((await user.call(sendFeedback, { id: into, message: '又一条' })).status)
  }
  // A call in the middle of sending when the step comes, which needs the entries as well.
  const one = 'SELECT FROM feedback WHERE id = $1 FOR UPDATE'
  await held(t, one, [id], async (holder) => {
    const senders = [sender(id), sender(undefined), sender(undefined)]
    const migrated = migrate(url, () => {}).finally(() => {
      done = true
    })
    await expect.poll(() => query(url, waiting), { timeout: 10_000, interval: 5 }).toHaveLength(1)
    await holder.query(`INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at)
      SELECT site_id, id, 0, 'user', user_id, '手里的一条', now() FROM feedback WHERE id = '${id}'`)
    await holder.query('COMMIT')
    await Promise.all([migrated, ...senders])
  })
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(statuses.length).toBeGreaterThan(2)
  expect(await pendingMigrations(url)).toEqual([])
  await t.close()
})

test('a step in a deadlock gives way and is tried again', async () => {
  const url = await createDatabase()
  await query(url, beforeTalk)
  const other = new Client({ connectionString: url })
  await other.connect()
  // The one that has waited for its timeout is aborted: the step.
  await other.query("SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE migration IN SHARE MODE")
  const lines: string[] = []
  const migrated = migrate(url, (line) => void lines.push(line))
  await expect.poll(() => query(url, waiting), { interval: 20, timeout: 10_000 }).toHaveLength(1)
  await other.query('SELECT FROM feedback')
  expect(lines).toEqual([])
  await other.query('COMMIT')
  await migrated
  expect(lines[0]).toBe('applied 0023_talk.sql')
  expect(await pendingMigrations(url)).toEqual([])
  await other.end()
})

test('a step that waits for a long reader delays no other statement', { timeout: 60_000 }, async () => {
  const url = await createDatabase()
  await query(url, beforeTalk)
  const [reader, other] = [new Client({ connectionString: url }), new Client({ connectionString: url })]
  await Promise.all([reader.connect(), other.connect()])
  await reader.query('BEGIN; SELECT FROM feedback')
  const migrated = migrate(url, () => {})
  await expect.poll(() => query(url, waiting), { interval: 10, timeout: 10_000 }).toHaveLength(1)
  let longest = 0
  for (const began = performance.now(); performance.now() - began < 3_000; ) {
    const asked = performance.now()
    await other.query('SELECT FROM feedback')
    longest = Math.max(longest, performance.now() - asked)
  }
  expect(await pendingMigrations(url)).toContain('0023_talk.sql')
  await reader.query('COMMIT')
  await migrated
  expect(longest).toBeLessThan(timeLimit(1_000))
  expect(await pendingMigrations(url)).toEqual([])
  await Promise.all([reader.end(), other.end()])
})
