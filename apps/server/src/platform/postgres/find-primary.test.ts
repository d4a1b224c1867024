import { chmodSync, rmSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { makeTemporaryFolder } from '../../../../../tools/run/temporary-folder.ts'
import { type Postgres, startPostgres, startStandby } from '../../../../../tools/stores/postgres.ts'
import { startRelay } from '../../../../../verify/harness/relay.ts'
import { times } from '../../../test/test-app.ts'
import { connectDatabase, isDatabaseUnavailable } from './db.ts'
import { clientTo, routeTo } from './find-primary.ts'

let folder: string
let first: Postgres
let second: Postgres & { promote(): void }
beforeEach(async () => {
  folder = makeTemporaryFolder('primary')
  chmodSync(folder, 0o755)
  first = await startPostgres(folder)
  second = await startStandby(folder, first)
}, 60_000)
afterEach(async () => {
  await Promise.all([first.stop(), second.stop()])
  rmSync(folder, { recursive: true, force: true })
})

const hosts = (...all: Postgres[]) => all.map(({ port }) => `127.0.0.1:${port}`).join(',')
const address = (...all: Postgres[]) => `postgres://postgres@${hosts(...all)}/postgres?target_session_attrs=read-write`

function open(databaseUrl: string) {
  const broken: Error[] = []
  const access = connectDatabase(
    { databaseUrl, databasePool: 5, loadShedding: true },
    (error) => void broken.push(error),
  )
  onTestFinished(() => access.db.destroy())
  const portOf = async () => (await access.pool.query('SELECT inet_server_port() AS port')).rows[0].port as number
  return { ...access, portOf, broken }
}

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error) => error)

test('a connection goes to the host that takes writes, whichever stands first, and follows it', async () => {
  const { pool, portOf } = open(address(second, first))
  const { find } = routeTo(address(second, first))
  expect(new Set(await Promise.all(times(50, find))).size, 'who looks at the same time shares one search').toBe(1)
  await Promise.all(times(10, () => pool.query('SELECT pg_sleep(0.05)')))
  expect(new Set(await Promise.all(times(10, portOf)))).toEqual(new Set([first.port]))
  await first.kill()
  second.promote()
  await expect.poll(() => portOf().catch(() => 0), { timeout: 20_000 }).toBe(second.port)
  await pool.query('CREATE TABLE written ()')
  const client = clientTo(address(first, second), 'test')
  await client.connect()
  expect((await client.query('SELECT inet_server_port() AS port')).rows).toEqual([{ port: second.port }])
  await client.end()
})

test('where no host takes writes, every caller gets an error within about a second', async () => {
  const { pool } = open(address(first, second))
  await pool.query('SELECT 1')
  await first.kill()
  const begun = performance.now()
  const failures = await Promise.all(times(40, () => failureOf(pool.query('SELECT 1'))))
  expect(performance.now() - begun).toBeLessThan(timeLimit(2_500))
  expect(failures.filter(isDatabaseUnavailable)).toHaveLength(40)
  expect(new Set(failures).size, 'an error of their own for each').toBe(40)
})

test('a node that was made read-only is left with its first refused write, and reads there no longer', async () => {
  const { db, pool, portOf } = open(address(first, second))
  await pool.query('CREATE TABLE written (n integer)')
  expect(await portOf()).toBe(first.port)
  await pool.query("ALTER SYSTEM SET default_transaction_read_only = 'on'")
  await pool.query('SELECT pg_reload_conf()')
  second.promote()
  const refused = await failureOf(
    db.transaction().execute(async (tx) => {
      for (;;) await sql`INSERT INTO written VALUES (1)`.execute(tx)
    }),
  )
  expect(isDatabaseUnavailable(refused)).toBe(true)
  await expect.poll(portOf, { timeout: 20_000 }).toBe(second.port)
})

test('a server that dies ends no process and fails no more than what was asked of it', async () => {
  const { db, pool, broken } = open(address(first, second))
  const slow = failureOf(sql`SELECT pg_sleep(3)`.execute(db))
  const within = failureOf(db.transaction().execute((tx) => sql`SELECT pg_sleep(3)`.execute(tx)))
  const between = failureOf(
    db.transaction().execute(async (tx) => {
      await sql`SELECT 1`.execute(tx)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await sql`SELECT 1`.execute(tx)
    }),
  )
  await pool.query('SELECT 1')
  await new Promise((resolve) => setTimeout(resolve, 300))
  await first.kill()
  const failures = await Promise.all([slow, within, between])
  expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true])
  expect(broken.every((error) => !('client' in error))).toBe(true)
})

test('a host that falls silent is left once another takes writes, by those who wait for it and by those who come', async () => {
  const relay = await startRelay({ host: '127.0.0.1', port: first.port })
  onTestFinished(() => relay.stop())
  const { pool, portOf } = open(address({ ...first, port: relay.port }, second))
  await Promise.all(times(5, () => pool.query('SELECT pg_sleep(0.1)')))
  relay.partitioned = true
  const begun = performance.now()
  const waiting = failureOf(pool.query('SELECT 1'))
  second.promote()
  expect(isDatabaseUnavailable(await waiting)).toBe(true)
  expect(performance.now() - begun).toBeLessThan(timeLimit(6_000))
  await expect.poll(() => portOf().catch(() => 0), { timeout: 10_000 }).toBe(second.port)
})
