import { passkeysMost } from '@hufu/contract/factors'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordUserEvent } from '../../shared/events/record-event.ts'
import type { Authority } from '../../shared/step-up/authority.ts'
import { accountStatus } from '../../shared/users/account-status.ts'

export interface StoredPasskey {
  id: string
  userId: UserId
  status: 'active' | 'disabled'
  publicKey: Buffer
  counter: number
}

export async function findPasskey(db: Db, siteId: SiteId, credentialId: Buffer): Promise<StoredPasskey | undefined> {
  const { rows } = await sql<StoredPasskey>`
    SELECT p.id, p.user_id AS "userId", ${accountStatus} AS status, p.public_key AS "publicKey", p.counter::float8 AS counter
    FROM passkey p JOIN users u ON u.site_id = p.site_id AND u.id = p.user_id
    WHERE p.site_id = ${siteId} AND p.credential_id = ${credentialId}`.execute(db)
  return rows[0]
}

export interface ListedPasskey {
  id: string
  name: string
  created: number
  lastUsed: number | null
  synced: boolean
}

/** The oldest first. */
export async function listPasskeys(db: Db, siteId: SiteId, userId: UserId): Promise<ListedPasskey[]> {
  const { rows } = await sql<ListedPasskey>`
    SELECT id, name, floor(extract(epoch FROM created_at) * 1000)::float8 AS created,
      floor(extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsed", synced
    FROM passkey WHERE site_id = ${siteId} AND user_id = ${userId} ORDER BY created_at, id`.execute(db)
  return rows
}

export interface Credential {
  /** Base64url. */
  id: string
  transports: string[]
}

/** The credentials of an account that browsers offer on this host. */
export async function listCredentials(db: Db, siteId: SiteId, userId: UserId, rpId: string): Promise<Credential[]> {
  const { rows } = await sql<{ id: Buffer; transports: string[] }>`SELECT credential_id AS id, transports FROM passkey
    WHERE site_id = ${siteId} AND user_id = ${userId} AND rp_id = ${rpId} ORDER BY created_at, id`.execute(db)
  return rows.map(({ id, transports }) => ({ id: id.toString('base64url'), transports }))
}

export interface NewPasskey {
  rpId: string
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  synced: boolean
  aaguid: string
  name: string
}

/** Of a user whose row the transaction has locked, so that the limit holds for parallel calls too. */
export async function insertPasskey(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  { rpId, credentialId, publicKey, counter, transports, synced, aaguid, name }: NewPasskey,
): Promise<{ id: string } | 'full' | 'taken'> {
  const { rows: counted } = await sql<{ full: boolean }>`SELECT count(*) >= ${passkeysMost} AS full FROM passkey
    WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
  if (counted[0]?.full) return 'full'
  const { rows } = await sql<{ id: string }>`
    INSERT INTO passkey (site_id, user_id, rp_id, credential_id, public_key, counter, transports, synced, aaguid, name)
    VALUES (${siteId}, ${userId}, ${rpId}, ${credentialId}, ${publicKey}, ${counter}, ${transports}, ${synced}, ${aaguid},
      ${name})
    ON CONFLICT (site_id, credential_id) DO NOTHING RETURNING id`.execute(db)
  const [added] = rows
  if (!added) return 'taken'
  await recordUserEvent(db, siteId, userId, 'factor.enrolled', ['passkey'])
  return added
}

/** False when there is no such passkey. */
export async function setPasskeyName(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: string,
  name: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE passkey SET name = ${name}
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** False when there is no such passkey. */
export async function deletePasskey(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  id: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM passkey
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id}`.execute(db)
  if (numAffectedRows === 0n) return false
  await recordUserEvent(db, siteId, userId, 'factor.reset', ['passkey'])
  return true
}

/**
 * Notes a use; false when the passkey was removed or the counter isn't above the stored one, as with a copied
 * authenticator. Authenticators without a counter always answer 0.
 */
export async function usePasskey(
  db: Db,
  siteId: SiteId,
  { userId, id, counter, synced }: { userId: UserId; id: string; counter: number; synced: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE passkey SET counter = ${counter}, synced = ${synced}, last_used_at = clock_timestamp()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id}
      AND (counter < ${counter} OR (counter = 0 AND ${counter} = 0))`.execute(db)
  return numAffectedRows === 1n
}

/** False when the challenge was answered before: the primary key decides. */
export async function spendChallenge(
  db: Db,
  siteId: SiteId,
  { hash, expires }: { hash: Buffer; expires: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO spent_challenge (site_id, hash, expires_at)
    VALUES (${siteId}, ${hash}, to_timestamp(${expires / 1000})) ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

/** How many passkeys of a site browsers offer on this host. */
export async function countPasskeys(db: Db, siteId: SiteId, rpId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM passkey
    WHERE site_id = ${siteId} AND rp_id = ${rpId}`.execute(db)
  return rows[0]?.count ?? 0
}
