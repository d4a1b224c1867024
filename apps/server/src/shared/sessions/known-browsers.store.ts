import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** A browser that isn't used for so long becomes unknown again. */
export const forgottenDays = 180

/** Since when a browser must have been used to be known; the clean-up job only drops rows that no longer count. */
export const usedSince = sql<Date>`(clock_timestamp() - make_interval(days => ${forgottenDays}))`

export async function forgetBrowser(db: Db, siteId: SiteId, userId: UserId, cookieHash: Buffer): Promise<void> {
  await sql`DELETE FROM known_browser WHERE site_id = ${siteId} AND user_id = ${userId}
    AND cookie_hash = ${cookieHash}`.execute(db)
}

/** Forgets the browser of a session, unless the session `keep` is in it too. */
export async function forgetBrowserOf(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  keep: SessionId,
): Promise<void> {
  const hashOf = (session: SessionId) => sql`(SELECT s.browser_hash FROM session s
    WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${session})`
  await sql`DELETE FROM known_browser WHERE site_id = ${siteId} AND user_id = ${userId}
    AND cookie_hash = ${hashOf(id)} AND cookie_hash IS DISTINCT FROM ${hashOf(keep)}`.execute(db)
}

/** Forgets every browser of an account but that of the session `keep`. */
export async function forgetOtherBrowsers(db: Db, siteId: SiteId, userId: UserId, keep: SessionId): Promise<void> {
  await sql`DELETE FROM known_browser WHERE site_id = ${siteId} AND user_id = ${userId}
    AND cookie_hash IS DISTINCT FROM (SELECT s.browser_hash FROM session s
      WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${keep})`.execute(db)
}

export async function forgetAllBrowsers(db: Db, siteId: SiteId, userId: UserId): Promise<void> {
  await sql`DELETE FROM known_browser WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
}

/** Forgets every browser of an account but this one. */
export async function forgetBrowsersBut(db: Db, siteId: SiteId, userId: UserId, keep: Buffer): Promise<void> {
  await sql`DELETE FROM known_browser WHERE site_id = ${siteId} AND user_id = ${userId}
    AND cookie_hash <> ${keep}`.execute(db)
}
