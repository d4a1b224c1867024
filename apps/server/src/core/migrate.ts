import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

const folder = join(import.meta.dirname, '../../migrations')
const lock = 7_236_117_041

interface Migration {
  number: number
  name: string
  sql: string
  hash: string
}

function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8')
      return { number: Number(name.slice(0, 4)), name, sql, hash: createHash('sha256').update(sql).digest('hex') }
    })
}

/**
 * Brings the database up to this version, forward only, one transaction a step. Many may call at once: one works,
 * the others wait. A step that can't get its table lock within 5 s gives way to the running version instead of
 * stopping it, and is tried again.
 */
export async function migrate(databaseUrl: string, say: (line: string) => void): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'hufu migrate' })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock])
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

const tries = 10

async function apply(client: Client, migration: Migration, say: (line: string) => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN')
      await client.query("SET LOCAL lock_timeout = '5s'")
      await client.query(migration.sql)
      await client.query('INSERT INTO migration (number, name, hash) VALUES ($1, $2, $3)', [
        migration.number,
        migration.name,
        migration.hash,
      ])
      await client.query('COMMIT')
      say(`applied ${migration.name}`)
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const code = (error as { code?: string }).code
      if (code === '55P03' && attempt < tries) continue
      if (/extension "hll"/.test((error as Error).message)) {
        throw new Error(
          'PostgreSQL lacks the extension hll (Debian: postgresql-15-hll); install it and run migrate again',
          { cause: error },
        )
      }
      throw new Error(`${migration.name}: ${(error as Error).message}`, { cause: error })
    }
  }
}

/** The steps that this version needs and the database hasn't got. */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'hufu' })
  await client.connect()
  try {
    const { rows } = await client.query("SELECT to_regclass('migration') IS NOT NULL AS there")
    const done = rows[0].there ? (await client.query('SELECT number FROM migration')).rows.map((row) => row.number) : []
    return migrations()
      .filter(({ number }) => !done.includes(number))
      .map(({ name }) => name)
  } finally {
    await client.end()
  }
}
