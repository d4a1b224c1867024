import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordFailure } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { ChallengeUse } from './passkey-challenges.ts'
import { userHandleOf } from './passkey-options.ts'
import { findPasskey, type StoredPasskey, spendChallenge, usePasskey } from './passkeys.store.ts'
import { type Assertion, type VerifiedAssertion, verifyAssertion } from './verify-passkey.ts'

export interface PasskeyProof {
  /** The challenge that was answered: of a sign-in by the hash of the browser's mark, of a step-up by the session. */
  use: Omit<ChallengeUse, 'siteId'>
  passkey: Assertion
  address: string
  /** Whose it must be, where that is known already. */
  userId?: UserId
}

/** A right answer, to be spent in the transaction of what it proves. */
export interface RightPasskey extends VerifiedAssertion, Pick<StoredPasskey, 'id' | 'userId' | 'status'> {}

/** Verifies an answer outside of a transaction. A wrong one is recorded for the owner of the credential. */
export async function provePasskey(
  deps: Pick<Deps, 'db' | 'config' | 'clock'>,
  site: Site,
  { use, passkey, address, userId }: PasskeyProof,
): Promise<RightPasskey> {
  const stored = await findPasskey(deps.db, site.id, Buffer.from(passkey.id, 'base64url'))
  if (!stored || (userId !== undefined && stored.userId !== userId)) throw new AppError('PASSKEY_UNKNOWN')
  const handle = passkey.response.userHandle ?? userHandleOf(stored.userId)
  const right = await verifyAssertion(deps, site, use, passkey, stored)
  // Only a discoverable credential carries a handle; where the account is named, browsers may leave it out.
  const owned = handle === userHandleOf(stored.userId) && (userId !== undefined || passkey.response.userHandle)
  if (right && owned) return { ...right, id: stored.id, userId: stored.userId, status: stored.status }
  await recordFailure(deps.db, site.id, { event: 'factor.failed', userId: stored.userId, address })
  throw new AppError('FACTOR_WRONG')
}

/** Of parallel calls with one answer one succeeds; none does once the passkey is removed or its counter has moved on. */
export async function spendPasskey(tx: Db, site: Site, { challenge, ...used }: RightPasskey): Promise<void> {
  if (!(await spendChallenge(tx, site.id, challenge)) || !(await usePasskey(tx, site.id, used)))
    throw new AppError('FACTOR_WRONG')
}
