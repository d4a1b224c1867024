import type { Pool } from 'pg'
import { type Batch, type Counter, type Counts, type Crowd, counterColumns, crowdColumns } from './usage-batch.ts'

const counters = Object.values(counterColumns)
const crowds = Object.values(crowdColumns)
const columns = [...counters, ...crowds].join(', ')

const users = (crowd: string) =>
  `coalesce((SELECT hll_add_agg(hll_hash_text(id), 14, 5, 4096, 1) FROM unnest(${crowd}) id), hll_empty(14, 5, 4096, 1))`

/** Rows in the order of their key: two processes that write the same ones wait for each other without a deadlock. */
const statement = `
  WITH flush AS (
    INSERT INTO usage_flush (process, number) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
  )
  INSERT INTO usage_hour (site_id, hour, ${columns})
  SELECT site_id, hour, ${[...counters, ...crowds.map(users)].join(', ')}
  FROM json_to_recordset($3) AS counted(site_id uuid, hour timestamptz,
    ${[...counters.map((name) => `${name} bigint`), ...crowds.map((name) => `${name} text[]`)].join(', ')})
  WHERE EXISTS (SELECT FROM flush)
  ORDER BY site_id, hour
  ON CONFLICT (site_id, hour) DO UPDATE SET
    ${counters.map((name) => `${name} = usage_hour.${name} + excluded.${name}`).join(', ')},
    ${crowds.map((name) => `${name} = usage_hour.${name} || excluded.${name}`).join(', ')}`

function rowOf({ counters, crowds }: Counts): Record<string, unknown> {
  const numbers = Object.entries(counters).map(([name, count]) => [counterColumns[name as Counter], count])
  const ids = Object.entries(crowds).map(([name, set]) => [crowdColumns[name as Crowd], [...set]])
  return Object.fromEntries([...numbers, ...ids])
}

/** Adds a batch to the hours. Idempotent: a batch that was written before adds nothing. */
export async function writeUsage(pool: Pool, process: string, { number, byHour }: Batch): Promise<void> {
  const rows = [...byHour].flatMap(([hour, sites]) =>
    [...sites].map(([site, counts]) => ({ site_id: site, hour: new Date(hour), ...rowOf(counts) })),
  )
  await pool.query(statement, [process, number, JSON.stringify(rows)])
}
