import { generateKeyPair, hash, type JsonWebKey, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { seal, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { sealContext } from '../../shared/sites/site-secrets.ts'
import {
  insertKeys,
  insertSalt,
  listKeys,
  listOtherKey,
  listSitesWithKeys,
  moveKeys,
  raiseVersion,
  readNext,
  readSalt,
  replaceSealed,
  type SealedKey,
} from './keys.store.ts'

type Needs = Pick<Deps, 'db' | 'config'>

/** A private key as a JWK. */
export interface SigningKey extends JsonWebKey {
  kty: 'RSA'
  kid: string
  alg: 'RS256'
  use: 'sig'
}

const keyContext = (siteId: SiteId, kid: string) => sealContext(siteId, `oidc/${kid}`)
/** A kid has 43 characters: none is called like this. */
const saltContext = (siteId: SiteId) => sealContext(siteId, 'oidc/salt')

/** RFC 7638: the members in this order. */
const thumbprint = ({ e, kty, n }: JsonWebKey): string => hash('sha256', JSON.stringify({ e, kty, n }), 'base64url')

async function newKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const jwk = privateKey.export({ format: 'jwk' })
  return { ...jwk, kty: 'RSA', kid: thumbprint(jwk), alg: 'RS256', use: 'sig' }
}

async function newSealedKey({ config }: Needs, siteId: SiteId): Promise<SealedKey> {
  const key = await newKey()
  return { kid: key.kid, sealed: seal(config.keys, keyContext(siteId, key.kid), JSON.stringify(key)) }
}

/** The site's private keys: current, next, previous. The first call makes the first two. */
export async function signingKeys(deps: Needs, siteId: SiteId): Promise<SigningKey[]> {
  let stored = await listKeys(deps.db, siteId)
  if (stored.length === 0) {
    const [current, next] = await Promise.all([newSealedKey(deps, siteId), newSealedKey(deps, siteId)])
    await insertKeys(deps.db, siteId, [
      { ...current, stage: 'current' },
      { ...next, stage: 'next' },
    ])
    stored = await listKeys(deps.db, siteId)
  }
  return stored.map(({ kid, sealed }) => JSON.parse(unseal(deps.config.keys, keyContext(siteId, kid), sealed)))
}

/** What third-party clients' ids of users are derived from; made by the first call, and never changed. */
export async function pairwiseSalt({ db, config: { keys } }: Needs, siteId: SiteId): Promise<Buffer> {
  const context = saltContext(siteId)
  let sealed = await readSalt(db, siteId)
  if (sealed === undefined) {
    await insertSalt(db, siteId, seal(keys, context, randomBytes(32).toString('base64')))
    sealed = await readSalt(db, siteId)
  }
  if (sealed === undefined) throw new Error(`site ${siteId} has no salt`)
  return Buffer.from(unseal(keys, context, sealed), 'base64')
}

/**
 * The next key signs, the current one still verifies, and the previous one is gone. Refused while clients may not know
 * the next key yet. Every process follows with the site's version.
 */
export async function rotateSigningKeys(deps: Needs, siteId: SiteId, operator: string | undefined): Promise<void> {
  const fresh = await newSealedKey(deps, siteId)
  await deps.db.transaction().execute(async (tx) => {
    await raiseVersion(tx, siteId)
    const next = await readNext(tx, siteId)
    if (!next) throw new Error(`site ${siteId} has no signing keys yet: its first OpenID Connect request makes them`)
    if (!next.ready)
      throw new Error(
        `the next signing key of site ${siteId} was published less than ten minutes ago, so clients may not know it; try again after ${next.at.toISOString()}`,
      )
    await moveKeys(tx, siteId)
    await insertKeys(tx, siteId, [{ ...fresh, stage: 'next' }])
    if (operator !== undefined)
      await recordOperator(tx, siteId, { operator, action: 'keys.rotate', target: next.kid, detail: {} })
  })
}

export const sitesWithKeys = ({ db }: Pick<Deps, 'db'>, days?: number): Promise<SiteId[]> => listSitesWithKeys(db, days)

/** Seals keys and salts under the current key of HUFU_KEYS; answers how many. */
export async function resealKeys({ db, config: { keys } }: Needs): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const rows = await listOtherKey(tx, keys.current)
    for (const row of rows) {
      const context = row.kid === null ? saltContext(row.siteId) : keyContext(row.siteId, row.kid)
      await replaceSealed(tx, { ...row, sealed: seal(keys, context, unseal(keys, context, row.sealed)) })
    }
    return rows.length
  })
}
