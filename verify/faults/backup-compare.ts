import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** Checksums of every table in a thousand buckets, independent of row order: table and bucket, rows and sum. */
export type Fingerprint = Map<string, { rows: number; sum: string }>

const tables = (
  kinds: string,
) => `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE relkind IN (${kinds}) AND nspname IN ('public', 'pgboss') ORDER BY 1`

export async function fingerprint(client: Client): Promise<Fingerprint> {
  const print: Fingerprint = new Map()
  await client.query("SET TimeZone = 'UTC'; SET statement_timeout = 0")
  const { rows } = await client.query<{ name: string }>(tables("'r'"))
  for (const { name } of rows) {
    const heaps = await client.query<{ heap: string; rows: number; sum: string }>(
      `SELECT hash & 1023 AS heap, count(*)::int AS rows, sum(hash::numeric)::text AS sum
       FROM (SELECT hashtextextended(t::text, 0) AS hash FROM ONLY ${name} t) hashed GROUP BY 1`,
    )
    for (const heap of heaps.rows) print.set(`${name} ${heap.heap}`, { rows: heap.rows, sum: heap.sum })
  }
  return print
}

export const rowsOf = (print: Fingerprint): number => [...print.values()].reduce((sum, { rows }) => sum + rows, 0)

/** How many rows aren't the same, at least; a changed one counts twice, as it was and as it is. */
export function differing(one: Fingerprint, two: Fingerprint): { rows: number; tables: string[] } {
  const none = { rows: 0, sum: '0' }
  const found = { rows: 0, tables: new Set<string>() }
  for (const key of new Set([...one.keys(), ...two.keys()])) {
    const [a, b] = [one.get(key) ?? none, two.get(key) ?? none]
    if (a.rows === b.rows && a.sum === b.sum) continue
    found.rows += Math.max(1, Math.abs(a.rows - b.rows))
    found.tables.add(key.split(' ')[0] ?? '')
  }
  return { rows: found.rows, tables: [...found.tables] }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'backup test' })
  await client.connect()
  return client
}

export async function fingerprintOf(url: string): Promise<Fingerprint> {
  const client = await connected(url)
  return await fingerprint(client).finally(() => client.end())
}

export interface Moment {
  /** By the database's clock. */
  at: string
  /** The snapshot, which other readers can use as long as this one is open. */
  snapshot: string
  reader: Client
}

/** No writes happen meanwhile: what was committed before is in the snapshot, what comes after has a later time. */
async function noteOnce(gate: Client, reader: Client): Promise<Moment> {
  const { rows } = await gate.query<{ name: string }>(tables("'r', 'p'"))
  await gate.query("BEGIN; SET LOCAL lock_timeout = '1s'; SET LOCAL deadlock_timeout = '50ms'")
  await gate.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN EXCLUSIVE MODE`)
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const snapshot = (await reader.query('SELECT pg_export_snapshot() AS name')).rows[0].name
  const at = (await gate.query('SELECT clock_timestamp()::text AS at')).rows[0].at
  await sleep(2)
  await gate.query('COMMIT')
  return { at, snapshot, reader }
}

export async function noteMoment(url: string): Promise<Moment> {
  const [gate, reader] = [await connected(url), await connected(url)]
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await noteOnce(gate, reader)
      } catch (error) {
        if (tries === 50) throw error
        await gate.query('ROLLBACK')
        await sleep(100)
      }
    }
  } finally {
    await gate.end()
  }
}
