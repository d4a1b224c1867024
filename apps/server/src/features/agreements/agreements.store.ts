import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface Consent {
  version: string
  time: number
}

/** What the user has agreed to, newest first. */
export async function listConsents(db: Db, siteId: SiteId, userId: UserId): Promise<Consent[]> {
  const { rows } = await sql<Consent>`
    SELECT version, floor(extract(epoch FROM at) * 1000)::float8 AS time FROM consent
    WHERE site_id = ${siteId} AND user_id = ${userId} AND document = 'agreements' ORDER BY at DESC, version`.execute(db)
  return rows
}
