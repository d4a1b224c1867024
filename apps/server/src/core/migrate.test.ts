import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, inject, test } from 'vitest'
import { createDatabase } from '../../test/test-app.ts'
import { migrate, pendingMigrations } from './migrate.ts'

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
  // The build waits for the reader, and nobody waits for the build.
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
