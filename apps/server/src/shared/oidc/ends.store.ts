import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** A client that a session had signed in to. */
export interface EndedLogin {
  clientId: string
  /** What the client calls the session. */
  sid: string
}

/** The data of a back-channel logout job. */
export interface LogoutNotice extends EndedLogin {
  siteId: SiteId
  userId: UserId
  /** Stays the same for every retry. */
  id: string
}

/**
 * Ends logins and grants of a user, with their tokens, in one statement. Always after the statement that ended the
 * sessions: an authorization in progress holds the row of its session, so by now it is either stored or refused.
 */
async function end(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  { logins, grants }: { logins: RawBuilder<unknown>; grants: RawBuilder<unknown> },
): Promise<EndedLogin[]> {
  const { rows } = await sql<EndedLogin>`
    WITH browser AS (
      DELETE FROM oidc_login WHERE site_id = ${siteId} AND user_id = ${userId} AND ${logins}
      RETURNING client_id, sid, grant_id, offline
    ), device AS (
      DELETE FROM oidc_device_login WHERE site_id = ${siteId} AND user_id = ${userId} AND ${logins}
      RETURNING client_id, sid, grant_id, offline
    ), ended AS (
      SELECT * FROM browser UNION ALL SELECT * FROM device
    ), void AS (
      DELETE FROM oidc_item WHERE site_id = ${siteId} AND user_id = ${userId} AND ${grants}
    )
    SELECT client_id AS "clientId", sid FROM ended`.execute(tx)
  return rows
}

/** One job for each: there is one exactly when the login ended. */
export async function queueLogouts(tx: Db, siteId: SiteId, userId: UserId, logins: EndedLogin[]): Promise<void> {
  for (const { clientId, sid } of logins) {
    const notice: LogoutNotice = { siteId, userId, clientId, sid, id: randomUUID() }
    await enqueue(tx, 'oidc-logout', notice, { retries: 8, retryDelay: 5, timeout: 60 })
  }
}

/** The user signed out: what a client may do without the user (offline_access) goes on. */
export async function endLoginsAtSignOut(tx: Db, siteId: SiteId, userId: UserId, session: SessionId): Promise<void> {
  const ended = await end(tx, siteId, userId, {
    logins: sql`session_id = ${session}`,
    grants: sql`grant_id IN (SELECT grant_id FROM ended WHERE NOT offline)`,
  })
  await queueLogouts(tx, siteId, userId, ended)
}

/** The session was removed, with all that it gave. */
export async function endLoginsOfSession(tx: Db, siteId: SiteId, userId: UserId, session: SessionId): Promise<void> {
  const ended = await end(tx, siteId, userId, {
    logins: sql`session_id = ${session}`,
    grants: sql`grant_id IN (SELECT grant_id FROM ended)`,
  })
  await queueLogouts(tx, siteId, userId, ended)
}

const keptBy = (siteId: SiteId, userId: UserId, sessions: RawBuilder<unknown>) =>
  sql`grant_id NOT IN (SELECT k.grant_id FROM oidc_login k
      WHERE k.site_id = ${siteId} AND k.user_id = ${userId} AND ${sessions}
    UNION ALL SELECT k.grant_id FROM oidc_device_login k
      WHERE k.site_id = ${siteId} AND k.user_id = ${userId} AND ${sessions})`

/** Only what the kept session gave goes on. */
export async function endOtherLogins(tx: Db, siteId: SiteId, userId: UserId, keep: SessionId): Promise<void> {
  const ended = await end(tx, siteId, userId, {
    logins: sql`session_id <> ${keep}`,
    grants: keptBy(siteId, userId, sql`k.session_id = ${keep}`),
  })
  await queueLogouts(tx, siteId, userId, ended)
}

/**
 * The sessions weren't the user's. Grants that outlived a sign-out end too: nothing says any more which session gave
 * them.
 */
export async function endDisownedLogins(tx: Db, siteId: SiteId, userId: UserId, sessions: SessionId[]): Promise<void> {
  const ended = await end(tx, siteId, userId, {
    logins: sql`session_id = ANY(${sessions}::uuid[])`,
    grants: keptBy(siteId, userId, sql`k.session_id <> ALL(${sessions}::uuid[])`),
  })
  await queueLogouts(tx, siteId, userId, ended)
}

/** Every login and grant; answers the clients to notify. */
export const endEveryLogin = (tx: Db, siteId: SiteId, userId: UserId): Promise<EndedLogin[]> =>
  end(tx, siteId, userId, { logins: sql`true`, grants: sql`grant_id IS NOT NULL` })

/** One client's, in every session. */
export async function endLoginsOfClient(tx: Db, siteId: SiteId, userId: UserId, clientId: string): Promise<void> {
  const ended = await end(tx, siteId, userId, {
    logins: sql`client_id = ${clientId}`,
    grants: sql`client_id = ${clientId}`,
  })
  await queueLogouts(tx, siteId, userId, ended)
}
