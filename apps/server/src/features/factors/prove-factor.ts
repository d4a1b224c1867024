import type { factorProof } from '@hufu/contract/factors'
import type { z } from 'zod'
import { AppError } from '../../platform/app-error.ts'
import { unseal } from '../../platform/crypto/secrets.ts'
import { findStep } from '../../platform/crypto/totp.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { countFailures, recordFailure, recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { queueNotice } from '../users/account-change-notices.ts'
import { holdAccount } from '../users/users.store.ts'
import { isRecoveryCode, totpContext } from './factor-codes.ts'
import { countTry, forgiveTry } from './factor-tries.store.ts'
import { listRecoveryCodes, readTotp, spendRecoveryCode, spendStep } from './factors.store.ts'
import type { ChallengeUse } from './passkey-challenges.ts'
import { provePasskey, type RightPasskey, spendPasskey } from './prove-passkey.ts'

type Needs = Pick<Deps, 'db' | 'config' | 'clock'>

export type FactorProof = z.output<typeof factorProof>

/** Whose factor it must be, and who says so. */
export interface Prover {
  userId: UserId
  /** Whether the account knows the browser: guesses of strangers are counted apart. */
  known: boolean
  address: string
  /** Which challenges a passkey may answer. */
  use: Omit<ChallengeUse, 'siteId'>
}

/** A right factor, to be spent in the transaction of what it proves. */
export type RightFactor =
  | { way: 'totp'; sealed: string; step: number }
  | { way: 'recovery'; id: string }
  | { way: 'passkey'; right: RightPasskey }

/**
 * So often strangers who gave the first proof guess in a day, and browsers that the account knows or that are signed in.
 * Guesses of both count, but strangers' alone never pause the known ones.
 */
const daily = { strangers: 50, known: 100 }
const daySeconds = 86_400

/** Counted before it is compared; beyond the limit all wait. */
export async function countFactorTry(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { userId, known }: Pick<Prover, 'userId' | 'known'>,
): Promise<void> {
  const wait = await countTry(db, site.id, userId, known)
  if (wait > 0) throw new AppError('FACTOR_PAUSED', { retryAfter: wait })
  const most = known ? daily.known : daily.strangers
  if ((await countFailures(db, site.id, userId, ['factor.failed'], daySeconds)) >= most)
    throw new AppError('FACTOR_PAUSED', { retryAfter: 3600 })
}

/** Exactly one of the three, verified outside of a transaction. */
export async function proveFactor(deps: Needs, site: Site, prover: Prover, proof: FactorProof): Promise<RightFactor> {
  const { totp, recovery, passkey } = proof
  const given = [totp, recovery, passkey].filter((one) => one !== undefined)
  if (given.length !== 1) throw new AppError('INPUT_INVALID', { field: 'totp' })
  if (passkey) {
    const { use, address, userId } = prover
    return { way: 'passkey', right: await provePasskey(deps, site, { use, address, userId, passkey }) }
  }
  await countFactorTry(deps, site, prover)
  const right =
    totp === undefined
      ? await findRecoveryCode(deps, site, prover.userId, recovery ?? '')
      : await findTotp(deps, site, prover.userId, totp)
  if (right) return right
  const { userId, address } = prover
  await recordFailure(deps.db, site.id, { event: 'factor.failed', userId, address })
  throw new AppError('FACTOR_WRONG')
}

async function findTotp(
  { db, config, clock }: Needs,
  site: Site,
  userId: UserId,
  code: string,
): Promise<RightFactor | undefined> {
  const stored = await readTotp(db, site.id, userId)
  if (!stored?.confirmed) return undefined
  const secret = Buffer.from(unseal(config.keys, totpContext(site.id, userId), stored.sealed), 'base64')
  const step = findStep(secret, code, clock.now())
  return step !== undefined && step > stored.lastStep ? { way: 'totp', sealed: stored.sealed, step } : undefined
}

async function findRecoveryCode(
  { db, config }: Needs,
  site: Site,
  userId: UserId,
  typed: string,
): Promise<RightFactor | undefined> {
  const codes = await listRecoveryCodes(db, site.id, userId)
  const found = codes.find(({ sealed }) => isRecoveryCode(config.keys, site.id, userId, sealed, typed))
  return found && { way: 'recovery', id: found.id }
}

/** Under the user's lock. Of parallel uses of one code one succeeds. */
export async function spendFactor(
  tx: Db,
  { clock }: Pick<Deps, 'clock'>,
  site: Site,
  prover: Prover,
  right: RightFactor,
): Promise<void> {
  if (right.way === 'passkey') return await spendPasskey(tx, site, right.right)
  const { userId, known, address } = prover
  const spent =
    right.way === 'totp'
      ? await spendStep(tx, site.id, userId, right)
      : await spendRecoveryCode(tx, site.id, userId, right.id)
  if (!spent) throw new AppError('FACTOR_WRONG')
  await forgiveTry(tx, site.id, userId, known)
  if (right.way !== 'recovery') return
  await recordSecurity(tx, site.id, { event: 'factor.codeUsed', userId, address })
  const account = await holdAccount(tx, site.id, userId)
  if (account) await queueNotice(tx, site, account, 'codeUsed', clock.now())
}
