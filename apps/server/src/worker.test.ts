import { randomUUID } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { type Postgres, startPostgres } from '../../../tools/stores/postgres.ts'
import { createDatabase, startTestApp } from '../test/test-app.ts'
import type { SiteId } from './platform/ids.ts'
import { startJobs } from './platform/jobs/jobs.ts'
import { createLog } from './platform/log.ts'
import { connectDatabase } from './platform/postgres/db.ts'
import { followSites } from './shared/sites/sites.ts'
import { expiredTokens, knowingItsSite, upkeep } from './worker.ts'

let databaseUrl: string
let pool: Pool
beforeAll(async () => {
  databaseUrl = await createDatabase()
  pool = new Pool({ connectionString: databaseUrl, max: 2 })
})
afterAll(() => pool.end())

test('D122 upkeep drops the browsers that were not used for 180 days, and no others', async () => {
  await pool.query(
    `INSERT INTO known_browser (site_id, user_id, cookie_hash, last_used)
      SELECT gen_random_uuid(), gen_random_uuid(), '\\x00', now() - make_interval(days => days)
      FROM unnest(ARRAY[1, 179, 181]) AS days`,
  )
  await upkeep(pool).run(undefined)
  expect((await pool.query('SELECT count(*)::int AS n FROM known_browser')).rows).toEqual([{ n: 2 }])
})

test('D234 expired tokens are deleted, however many, and those that are locked or live stay', async () => {
  await pool.query(
    `INSERT INTO oidc_item (site_id, kind, hash, payload, expires_at)
      SELECT '11111111-1111-4111-8111-111111111111', 'AccessToken', int4send(n), '{}',
        now() + CASE WHEN n > 6000 THEN interval '1 minute' ELSE interval '-1 minute' END
      FROM generate_series(1, 6002) n`,
  )
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM oidc_item WHERE hash = int4send(1) FOR UPDATE')
  try {
    const other = new Pool({ connectionString: databaseUrl, max: 1 })
    await expiredTokens(other).run(undefined)
    await other.end()
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  const { rows } = await pool.query("SELECT encode(hash, 'hex') AS hash FROM oidc_item ORDER BY hash")
  expect(rows.map(({ hash }) => Number.parseInt(hash, 16))).toEqual([1, 6001, 6002])
})

test('D234 upkeep deletes logins whose session is gone, has ended by itself or was ended, and no others', async () => {
  const site = randomUUID()
  /** Days since the session began and was last used; null where there is no session. */
  const sessions: [name: string, began: number | null, used: number, ended?: boolean][] = [
    ['live', 100, 1],
    ['idle', 100, 31],
    ['old', 181, 1],
    ['ended', 50, 40, true],
    ['gone', null, 0],
  ]
  for (const [name, began, used, ended = false] of sessions) {
    const [user, id] = [randomUUID(), randomUUID()]
    if (began !== null) {
      await pool.query(
        `INSERT INTO session (site_id, user_id, id, secret_hash, method, browser, device, os, address, browser_hash,
          created_at, ended_at)
        VALUES ($1, $2, $3, '\\x00', 'password', '', '', '', '127.0.0.1', '\\x00', now() - make_interval(days => $4),
          CASE WHEN $5 THEN now() END)`,
        [site, user, id, began, ended],
      )
      await pool.query(
        `INSERT INTO session_access (site_id, user_id, session_id, last_access)
          VALUES ($1, $2, $3, now() - make_interval(days => $4))`,
        [site, user, id, used],
      )
    }
    for (const [client, days] of [
      ['unused', 31],
      ['used', 1],
    ])
      await pool.query(
        `INSERT INTO oidc_login (site_id, user_id, session_id, client_id, sid, grant_id, offline, last_at)
          VALUES ($1, $2, $3, $4, '', '', false, now() - make_interval(days => $5))`,
        [site, user, id, `${name} ${client}`, days],
      )
    for (const [client, days] of [
      ['unused', 31],
      ['used', 1],
    ])
      await pool.query(
        `INSERT INTO oidc_device_login (site_id, user_id, session_id, client_id, sid, grant_id, offline, created_at)
          VALUES ($1, $2, $3, $4, '', $4, false, now() - make_interval(days => $5))`,
        [site, user, id, `${name} ${client}`, days],
      )
  }
  await upkeep(pool).run(undefined)
  for (const table of ['oidc_login', 'oidc_device_login']) {
    const { rows } = await pool.query(`SELECT client_id AS name FROM ${table} WHERE site_id = $1 ORDER BY 1`, [site])
    expect(rows.map(({ name }) => name)).toEqual(['live unused', ...sessions.map(([name]) => `${name} used`)].sort())
  }
})

test('the queue works on the tables of our own migrations and runs upkeep on a schedule', async () => {
  await pool.query(
    "INSERT INTO usage_flush VALUES (gen_random_uuid(), 1, now() - interval '2 days'), (gen_random_uuid(), 2, now())",
  )
  let runs = 0
  const job = upkeep(pool)
  const log = createLog({ logLevel: 'silent' })
  const worker = await startJobs({ databaseUrl }, log, [
    {
      ...job,
      async run(data) {
        await job.run(data)
        runs++
      },
    },
  ])
  expect((await pool.query('SELECT name, cron FROM pgboss.schedule')).rows).toEqual([
    { name: 'upkeep', cron: '17 3 * * *' },
  ])
  await pool.query("INSERT INTO pgboss.job_common (name) VALUES ('upkeep')")
  await expect.poll(() => runs, { timeout: 15_000 }).toBe(1)
  expect((await pool.query('SELECT count(*)::int AS n FROM usage_flush')).rows).toEqual([{ n: 1 }])
  await worker.stop()
})

/** A server of its own, so that no other test misses it while it is away. */
async function ownPostgres(): Promise<Postgres> {
  const folder = makeTemporaryFolder('worker')
  chmodSync(folder, 0o755)
  const postgres = await startPostgres(folder)
  onTestFinished(async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return postgres
}

test('a worker that begins while the database is away waits for it, and knows the site of its first job', async () => {
  const postgres = await ownPostgres()
  const url = await createDatabase(postgres.url)
  const product = await startTestApp({ HUFU_DATABASE_URL: url })
  const { id, origin } = await product.site()
  await product.close()
  await postgres.kill()

  const log = createLog({ logLevel: 'silent' })
  const { db, pool: own } = connectDatabase({ databaseUrl: url, databasePool: 2, loadShedding: true }, () => {})
  const sites = await followSites(db, log)
  sites.close()
  const told: unknown[] = []
  const job = knowingItsSite(sites, {
    name: 'tells',
    run: async (data) => void told.push(sites.get((data as { siteId: SiteId }).siteId)?.origin),
  })
  const starting = startJobs({ databaseUrl: url }, log, [job])
  await pause(500)
  await postgres.start()
  const worker = await starting
  await own.query("INSERT INTO pgboss.job_common (name, data) VALUES ('tells', $1)", [{ siteId: id }])
  await expect.poll(() => told, { timeout: 15_000 }).toEqual([origin])
  await worker.stop()
  await db.destroy()
}, 60_000)

test('upkeep drops what has expired of the one-time tables and nothing that is alive', async () => {
  const id = 'gen_random_uuid()'
  const left = "now() + interval '1 second' * s"
  const lives = 'generate_series(-1, 10, 11) s'
  const rows = {
    authorize_request: `(site_id, hash, source, expires_at) SELECT ${id}, 'r', '/user', ${left} FROM ${lives}`,
    authorize_ticket: `(site_id, hash, user_id, origin, expires_at) SELECT ${id}, 't', ${id}, 'o', ${left} FROM ${lives}`,
    notice_link: `(site_id, hash, purpose, user_id, subject, expires_at) SELECT ${id}, 'n', 'disown', ${id}, ${id}, ${left} FROM ${lives}`,
    login_confirm: `(site_id, ticket_hash, user_id, mobile, browser_hash, expires_at) SELECT ${id}, 'l', ${id}, '+86', 'b', ${left} FROM ${lives}`,
    wechat_ticket: `(site_id, hash, purpose, browser_hash, expires_at) SELECT ${id}, 'w', 'p', 'b', ${left} FROM ${lives}`,
    factor_ticket: `(site_id, ticket_hash, user_id, browser_hash, method, expires_at) SELECT ${id}, 'f', ${id}, 'b', 'mobile', ${left} FROM ${lives}`,
    spent_challenge: `(site_id, hash, expires_at) SELECT ${id}, 's', ${left} FROM ${lives}`,
  }
  for (const [table, insert] of Object.entries(rows)) await pool.query(`INSERT INTO ${table} ${insert}`)
  await upkeep(pool).run({})
  for (const table of Object.keys(rows)) {
    const alive = await pool.query(`SELECT expires_at > now() AS alive FROM ${table}`)
    expect(alive.rows, table).toEqual([{ alive: true }])
  }
})

test('upkeep drops secrets that were never confirmed and counts of guesses after a day, and no code of an enrolment', async () => {
  const [id, ages] = ['gen_random_uuid()', 'unnest(ARRAY[1, 25]) hours']
  const ago = 'now() - make_interval(hours => hours)'
  await pool.query(`
    INSERT INTO totp (site_id, user_id, sealed, created_at) SELECT ${id}, ${id}, 'new', ${ago} FROM ${ages};
    INSERT INTO totp (site_id, user_id, sealed, created_at, confirmed_at) VALUES (${id}, ${id}, 'in force', now() - interval '1 year', now());
    INSERT INTO factor_tries (site_id, user_id, known, since) SELECT ${id}, ${id}, true, ${ago} FROM ${ages};
    INSERT INTO enrolment_ticket (site_id, user_id, hash, expires_at) VALUES (${id}, ${id}, 'e', now() - interval '1 year')`)
  await upkeep(pool).run({})
  const left = (await pool.query('SELECT sealed FROM totp ORDER BY sealed')).rows.map(({ sealed }) => sealed)
  expect(left).toEqual(['in force', 'new'])
  for (const table of ['factor_tries', 'enrolment_ticket'])
    expect((await pool.query(`SELECT FROM ${table}`)).rows, table).toHaveLength(1)
})

test('upkeep drops the security log after 183 days, whole months of it too, and nothing of the operator log', async () => {
  const own = new Pool({ connectionString: await createDatabase(), max: 2 })
  const ages = "unnest(ARRAY['2500 days', '184 days', '182 days', '0 days']) age"
  await own.query(`
    CREATE TABLE security_log_2020_01 PARTITION OF security_log FOR VALUES FROM ('2020-01-01Z') TO ('2020-02-01Z');
    INSERT INTO security_log (site_id, at, event) SELECT gen_random_uuid(), now() - age::interval, age FROM ${ages};
    INSERT INTO security_log (site_id, at, event) VALUES (gen_random_uuid(), '2020-01-15Z', 'January 2020');
    INSERT INTO operator_log (site_id, at, operator, action) SELECT gen_random_uuid(), now() - age::interval, 'cli', age FROM ${ages}`)
  await upkeep(own).run({})
  const left = await own.query('SELECT event FROM security_log ORDER BY at')
  expect(left.rows).toEqual([{ event: '182 days' }, { event: '0 days' }])
  expect((await own.query("SELECT to_regclass('security_log_2020_01') AS month")).rows).toEqual([{ month: null }])
  expect((await own.query('SELECT FROM operator_log')).rows).toHaveLength(4)
  await own.end()
})

test('upkeep drops codes, their sends and their receivers after three days, and none before', async () => {
  const own = new Pool({ connectionString: await createDatabase(), max: 2 })
  const ages = "unnest(ARRAY['80 hours', '64 hours']) age"
  await own.query(`
    INSERT INTO receiver (site_id, receiver, last_sent_at) SELECT gen_random_uuid(), age, now() - age::interval FROM ${ages};
    INSERT INTO receiver (site_id, receiver) VALUES (gen_random_uuid(), 'refused');
    INSERT INTO code_send (site_id, receiver, purpose, at) SELECT gen_random_uuid(), age, 'login', now() - age::interval FROM ${ages};
    INSERT INTO code (site_id, receiver, purpose, hmac, sealed, expires_at)
      SELECT gen_random_uuid(), age, 'login', 'h', 's', now() - age::interval FROM ${ages}`)
  await upkeep(own).run({})
  for (const table of ['receiver', 'code_send', 'code'])
    expect((await own.query(`SELECT receiver FROM ${table}`)).rows, table).toEqual([{ receiver: '64 hours' }])
  await own.end()
})

test('a chore of upkeep that fails keeps none of the others from being done, and is named', async () => {
  const own = new Pool({ connectionString: await createDatabase(), max: 2 })
  await own.query(`DROP FUNCTION make_log_partitions; ALTER TABLE wechat_ticket RENAME TO gone;
    INSERT INTO usage_flush VALUES (gen_random_uuid(), 1, now() - interval '2 days');
    INSERT INTO recovery_ticket (site_id, ticket_hash, user_id, browser_hash, expires_at)
      VALUES (gen_random_uuid(), 't', gen_random_uuid(), 'b', now() - interval '1 second')`)
  const failure = await upkeep(own)
    .run({})
    .catch((error: AggregateError) => error)
  expect((failure as AggregateError).errors.map(({ message }) => message)).toEqual([
    'SELECT make_log_partitions(2)',
    'DELETE FROM wechat_ticket WHERE expires_at < now()',
  ])
  for (const table of ['usage_flush', 'recovery_ticket'])
    expect((await own.query(`SELECT FROM ${table}`)).rows, table).toEqual([])
  await own.end()
})

test('a chore of upkeep may take longer than a call, and no call after it', async () => {
  const own = new Pool({ connectionString: await createDatabase(), max: 1, statement_timeout: 400 })
  await own.query(`INSERT INTO usage_flush VALUES (gen_random_uuid(), 1, now() - interval '2 days');
    CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.6); RETURN OLD; END';
    CREATE TRIGGER slow BEFORE DELETE ON usage_flush FOR EACH ROW EXECUTE FUNCTION pause()`)
  await upkeep(own).run({})
  expect((await own.query('SELECT FROM usage_flush')).rows).toEqual([])
  expect((await own.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '400ms' }])
  await own.end()
})

test('upkeep drops pictures and notes whose conversation is gone, however many, and none of those that stand', async () => {
  const own = new Pool({ connectionString: await createDatabase(), max: 2 })
  const [site, elsewhere] = [randomUUID(), randomUUID()]
  // Three here, and one of another site, under whose id there is none here.
  await own.query(
    `INSERT INTO feedback (site_id, id, user_id, status, last_seq, user_texts, last_message_at)
     SELECT site_id, gen_random_uuid(), gen_random_uuid(), 0, 1, 1, now() FROM unnest($1::uuid[]) site_id`,
    [[site, site, site, elsewhere]],
  )
  const ids = 'SELECT id FROM feedback UNION ALL SELECT gen_random_uuid() FROM generate_series(1, 2100)'
  await own.query(
    `INSERT INTO feedback_note (site_id, feedback_id, id, author_id, text)
     SELECT $1, id, gen_random_uuid(), gen_random_uuid(), 'x' FROM (${ids}) place`,
    [site],
  )
  await own.query(
    `INSERT INTO feedback_picture (site_id, id, author_id, feedback_id, width, height, bytes)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), id, 1, 1, '\\x00'::bytea FROM (${ids} UNION ALL SELECT NULL) place`,
    [site],
  )
  await upkeep(own).run({})
  const standing = (await own.query('SELECT id FROM feedback WHERE site_id = $1 ORDER BY id', [site])).rows
  const left = async (table: string) =>
    (await own.query(`SELECT feedback_id AS id FROM ${table} ORDER BY feedback_id NULLS LAST`)).rows
  expect(await left('feedback_note')).toEqual(standing)
  // One that stands in no message yet waits for its day.
  expect(await left('feedback_picture')).toEqual([...standing, { id: null }])
  await own.end()
})
