import { sql } from 'kysely'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export const machineKind = 'ClientCredentials'

export interface StoredToken {
  clientId: string
  /** Separated by spaces; null where the token has none. */
  scope: string | null
  /** Null for a token of a version that didn't tie tokens to credentials. */
  credential: string | null
}

/** Past every cache; undefined when it is unknown, revoked or expired. */
export async function readMachineToken(db: Db, siteId: SiteId, token: string): Promise<StoredToken | undefined> {
  const { rows } = await sql<StoredToken>`
    SELECT client_id AS "clientId", payload->>'scope' AS scope, payload->>'credential' AS credential FROM oidc_item
    WHERE site_id = ${siteId} AND kind = ${machineKind} AND hash = ${sha256(token)}
      AND expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}
