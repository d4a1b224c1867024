import { type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

type Given<Table extends keyof Tables> = {
  [Column in keyof Tables[Table]]?: Tables[Table][Column] | RawBuilder<unknown> | undefined
}

/** What SET lists: every column whose value is given; null is a value. */
export function assignments<Table extends keyof Tables>(values: Given<Table>): RawBuilder<unknown> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return sql.join(given.map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
}
