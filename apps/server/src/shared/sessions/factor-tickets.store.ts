import type { FactorRequired, FactorWay } from '@hufu/contract/factors'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { rpIdOf } from '../sites/rp-id.ts'
import type { Site } from '../sites/sites.ts'
import { maskedEmail, maskedMobile } from '../users/masked.ts'

const ticketMinutes = 10

export interface NewFactorTicket {
  userId: UserId
  browserHash: Buffer
  /** By what the sign-in began. */
  method: string
  agreements: string | undefined
}

/** How many can wait for each known browser, and for all others together. */
const mostTickets = 50

/**
 * A thief with the first proof makes no more than that, and spoils none of a browser that the account knows. Locked ones
 * are in use or being deleted.
 */
async function trimTickets(db: Db, siteId: SiteId, userId: UserId): Promise<void> {
  const own = sql`f.site_id = ${siteId} AND f.user_id = ${userId}`
  await sql`
    DELETE FROM factor_ticket f WHERE ${own} AND f.ticket_hash IN (
      SELECT f.ticket_hash FROM factor_ticket f JOIN (
        SELECT f.ticket_hash, row_number() OVER (PARTITION BY k.cookie_hash ORDER BY f.expires_at DESC) AS place
        FROM factor_ticket f LEFT JOIN known_browser k
          ON k.site_id = f.site_id AND k.user_id = f.user_id AND k.cookie_hash = f.browser_hash
        WHERE ${own}) ranked USING (ticket_hash)
      WHERE ${own} AND (ranked.place >= ${mostTickets} OR f.expires_at <= clock_timestamp())
      FOR UPDATE OF f SKIP LOCKED)`.execute(db)
}

export async function insertFactorTicket(
  db: Db,
  siteId: SiteId,
  ticketHash: Buffer,
  { userId, browserHash, method, agreements = undefined }: NewFactorTicket,
): Promise<void> {
  await trimTickets(db, siteId, userId)
  await sql`
    INSERT INTO factor_ticket (site_id, ticket_hash, user_id, browser_hash, method, agreements, expires_at)
    VALUES (${siteId}, ${ticketHash}, ${userId}, ${browserHash}, ${method}, ${agreements ?? null},
      clock_timestamp() + make_interval(mins => ${ticketMinutes}))`.execute(db)
}

/**
 * How an account can prove its second factor; none where it isn't protected. A passkey that was made for a former host
 * is none: browsers don't offer it.
 */
export async function listFactorWays(db: Db, site: Pick<Site, 'id' | 'origin'>, userId: UserId): Promise<FactorWay[]> {
  const { rows } = await sql<{ way: FactorWay }>`
    SELECT w.way FROM users u CROSS JOIN LATERAL (VALUES
      (1, 'passkey', EXISTS (SELECT FROM passkey p
        WHERE p.site_id = u.site_id AND p.user_id = u.id AND p.rp_id = ${rpIdOf(site)})),
      (2, 'totp', EXISTS (SELECT FROM totp t WHERE t.site_id = u.site_id AND t.user_id = u.id AND t.confirmed_at IS NOT NULL)),
      (3, 'recovery', EXISTS (SELECT FROM recovery_code r WHERE r.site_id = u.site_id AND r.user_id = u.id AND r.spent_at IS NULL)))
      AS w (place, way, there)
    WHERE u.site_id = ${site.id} AND u.id = ${userId} AND u.protected AND w.there
    ORDER BY w.place`.execute(db)
  return rows.map(({ way }) => way)
}

interface Named {
  nickname: string | null
  mobile: string | null
  email: string | null
  username: string | null
  operator: boolean
}

/** What the second step of a sign-in shows. */
export async function readSecondStep(
  db: Db,
  site: Pick<Site, 'id' | 'origin'>,
  userId: UserId,
  trusts: boolean,
): Promise<Omit<FactorRequired, 'ticket'>> {
  const ways = await listFactorWays(db, site, userId)
  const { rows } = await sql<Named>`
    SELECT coalesce(u.nickname, u.wechat_nickname) AS nickname, u.mobile, u.email, u.username,
      EXISTS (SELECT FROM permission p WHERE p.site_id = u.site_id AND p.user_id = u.id AND p.area = 'MERCHANT') AS operator
    FROM users u WHERE u.site_id = ${site.id} AND u.id = ${userId}`.execute(db)
  const [user] = rows
  return { ways, name: user ? nameOf(user) : '', trust: trusts && user?.operator === false }
}

const nameOf = ({ nickname, mobile, email, username }: Named): string =>
  nickname ?? (mobile ? maskedMobile(mobile) : email ? maskedEmail(email) : (username ?? ''))
