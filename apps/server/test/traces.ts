import { gunzipSync } from 'node:zlib'
import { Cluster } from 'ioredis'
import type { Deps } from '../src/shared/deps.ts'
import { unzip } from './unzip.ts'

/** Every table of ours and of the queue, partitions one by one. */
const tables = `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`

/** All that lies in a column of bytes: as it is, and unpacked where it is packed. */
function inside(bytes: Buffer): Buffer[] {
  if (bytes.readUInt16BE(0) === 0x1f8b) return [bytes, gunzipSync(bytes)]
  if (bytes.readUInt32LE(0) === 0x04034b50) return [bytes, ...unzip(bytes).values()]
  return [bytes]
}

/** A row as text: what PostgreSQL shows of it, then what its bytes hold. */
function textOf(row: Record<string, unknown>): string {
  const bytes = Object.values(row).filter((value) => Buffer.isBuffer(value) && value.length > 4) as Buffer[]
  return [String(row.as_text), ...bytes.flatMap(inside).map((each) => each.toString('latin1'))].join('\n')
}

/** In bytes a text lies as UTF-8. */
const spellings = (value: string) => [value, Buffer.from(value).toString('latin1')]

/** Where in the database any of these values stands: `table: value`. */
export async function tracesInDatabase({ pool }: Pick<Deps, 'pool'>, values: string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const { name } of (await pool.query(tables)).rows) {
    const { rows } = await pool.query(`SELECT *, t::text AS as_text FROM ${name} t`)
    for (const text of rows.map(textOf))
      for (const value of values)
        if (spellings(value).some((spelling) => text.includes(spelling))) found.add(`${name}: ${value}`)
  }
  return [...found].sort()
}

export interface RedisTrace {
  key: string
  /** Seconds until it is gone; negative for one that stays. */
  ttl: number
}

/** Keys of Redis, of every node, that hold any of these values or have one in their name. */
export async function tracesInRedis({ redis }: Pick<Deps, 'redis'>, values: string[]): Promise<RedisTrace[]> {
  const found: RedisTrace[] = []
  for (const node of redis instanceof Cluster ? redis.nodes('master') : [redis]) {
    for await (const keys of node.scanStream({ count: 500 }) as AsyncIterable<string[]>) {
      for (const key of keys) {
        const kind = await node.type(key)
        const held =
          kind === 'hash' ? JSON.stringify(await node.hgetall(key)) : kind === 'string' && (await node.get(key))
        if (held === false && kind !== 'none') throw new Error(`${key} is a ${kind}: it was not searched`)
        if (values.some((value) => `${key} ${held}`.includes(value))) found.push({ key, ttl: await node.ttl(key) })
      }
    }
  }
  return found
}
