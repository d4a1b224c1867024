import type { ColumnType, Generated } from 'kysely'
import type { SiteId } from './ids.ts'

/** The tables as the migrations made them, for Kysely. */
export interface Database {
  site: SiteTable
  site_host: { host: string; site_id: SiteId }
  site_config: SiteConfigTable
  operator_log: OperatorLogTable
}

type Json = ColumnType<unknown, string, string>
type CreatedAt = ColumnType<Date, never, never>

interface SiteTable {
  id: SiteId
  origin: string
  status: Generated<'active' | 'disabled'>
  version: ColumnType<string, never, unknown>
  created_at: CreatedAt
}

interface SiteConfigTable {
  site_id: SiteId
  version: number
  config: Json
  saved_by: string
  saved_at: CreatedAt
}

interface OperatorLogTable {
  site_id: SiteId
  at: CreatedAt
  id: Generated<string>
  operator: string
  action: string
  target: string | null
  detail: Json
}
