import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { clientTo } from './find-primary.ts'

/** Beside `lib/server` of a release; above `src` in the sources. */
const folder =
  ['../../migrations', '../../../migrations'].map((path) => join(import.meta.dirname, path)).find(existsSync) ?? ''
const lock = 7_236_117_041

interface Migration {
  number: number
  name: string
  sql: string
  hash: string
}

const steps = (): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()

const numberOf = (name: string): number => Number(name.slice(0, 4))

function migrations(): Migration[] {
  return steps().map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8')
    return { number: numberOf(name), name, sql, hash: createHash('sha256').update(sql).digest('hex') }
  })
}

/**
 * One process migrates, the others poll for the lock: a waiting statement would block the building of an index, which
 * it waits for in turn.
 */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [lock])
    if (rows[0].taken) return
    await pause(200)
  }
}

/**
 * Brings the database up to this version, forward only, one transaction a step unless the step says otherwise. Many may
 * call at once. Statements queue behind a step that waits for a table lock, so a step waits for a moment only, gives
 * way to the running version and is retried; a deadlock is retried too.
 */
export async function migrate(databaseUrl: string, say: (line: string) => void): Promise<void> {
  const client = clientTo(databaseUrl, 'hufu migrate')
  await client.connect().catch((error: Error & { code?: string }) => {
    throw new Error(`HUFU_DATABASE_URL: can't connect to PostgreSQL: ${error.message || error.code}`)
  })
  try {
    const old = await tooOld(client)
    if (old) throw new Error(old)
    await takeLock(client)
    await client.query(`CREATE TABLE IF NOT EXISTS migration (
      number integer PRIMARY KEY, name text NOT NULL, hash text NOT NULL, at timestamptz NOT NULL DEFAULT now())`)
    const done = new Map<number, string>()
    for (const row of (await client.query('SELECT number, hash FROM migration')).rows) done.set(row.number, row.hash)
    for (const migration of migrations()) {
      const hash = done.get(migration.number)
      if (hash === undefined) await apply(client, migration, say)
      else if (hash !== migration.hash) throw new Error(`${migration.name} was changed after it had been applied`)
    }
  } finally {
    await client.end()
  }
}

/** The oldest version that is tested. */
const oldest = 15

/** The sentence that refuses an untested PostgreSQL. */
export async function tooOld(client: Client): Promise<string | undefined> {
  const { rows } = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS version")
  const { version } = rows[0] as { version: number }
  return version < oldest
    ? `HUFU_DATABASE_URL leads to PostgreSQL ${version}; use version ${oldest} or a newer one`
    : undefined
}

export const withoutHll =
  'PostgreSQL lacks the extension hll: install it where PostgreSQL runs (Debian: apt-get install postgresql-15-hll)'
const mayNotCreateHll =
  'The user of HUFU_DATABASE_URL may not create the extension hll: let a superuser run CREATE EXTENSION hll in this database'
/** Insufficient privilege. */
const forbidden = '42501'

/** Two minutes at least. */
const tries = 200
/** Lock timeout, and deadlock. */
const passing = ['55P03', '40P01']

async function apply(client: Client, migration: Migration, say: (line: string) => void): Promise<void> {
  const run = migration.sql.startsWith('-- no transaction\n') ? runOneByOne : runWhole
  for (let attempt = 1; ; attempt++) {
    try {
      await run(client, migration)
      say(`applied ${migration.name}`)
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const { code = '' } = error as { code?: string }
      if (passing.includes(code) && attempt < tries) {
        await pause(300 + Math.random() * 400)
        continue
      }
      if (/extension "hll"/.test((error as Error).message))
        throw new Error(`${code === forbidden ? mayNotCreateHll : withoutHll}, then run hufu migrate again`, {
          cause: error,
        })
      throw new Error(`${migration.name}: ${(error as Error).message}`, { cause: error })
    }
  }
}

async function note(client: Client, { number, name, hash }: Migration): Promise<void> {
  await client.query('INSERT INTO migration (number, name, hash) VALUES ($1, $2, $3)', [number, name, hash])
}

async function runWhole(client: Client, migration: Migration): Promise<void> {
  await client.query('BEGIN')
  await client.query("SET LOCAL lock_timeout = '50ms'")
  await client.query(migration.sql)
  await note(client, migration)
  await client.query('COMMIT')
}

/**
 * For what PostgreSQL refuses within a transaction: building an index while others write. A statement ends where its
 * line does, and the rows of a SELECT are statements, too. Each must be idempotent: what was interrupted begins again.
 */
async function runOneByOne(client: Client, migration: Migration): Promise<void> {
  await client.query("SET lock_timeout = '5s'")
  for (const text of migration.sql.split(/;$/m)) {
    const { rows } = await client.query<[string]>({ text, rowMode: 'array' })
    for (const [statement] of rows) await client.query(statement)
  }
  await note(client, migration)
}

/** The steps that this version needs and the database lacks; steps of a newer version don't matter. */
export async function missingSteps(client: Client): Promise<string[]> {
  const { rows } = await client.query("SELECT to_regclass('migration') IS NOT NULL AS there")
  const done = rows[0].there ? (await client.query('SELECT number FROM migration')).rows.map((row) => row.number) : []
  return steps().filter((name) => !done.includes(numberOf(name)))
}
