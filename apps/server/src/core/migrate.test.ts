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
