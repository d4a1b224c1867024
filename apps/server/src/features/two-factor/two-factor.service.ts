import type { Way } from '@hufu/contract/two-factor'
import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import { checkPassword, requireTurn } from '../../platform/crypto/password-hash.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordFailure, recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeSessions } from '../../shared/sessions/change-user.ts'
import { listFactorWays } from '../../shared/sessions/factor-tickets.store.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { lookAtSession, markChecked } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { owedIdentityProofs } from '../../shared/step-up/step-up.ts'
import { type FactorProof, proveFactor, spendFactor } from '../factors/prove-factor.ts'
import { checkWay, isSecond } from '../users/identity-proofs.ts'
import { ownMobile } from '../users/login-names.ts'
import { countPasswordTry, forgetPasswordTries } from '../users/password-tries.ts'
import { lockUser } from '../users/user.store.ts'
import { findPassword, holdPassword, noteIdentityProof } from '../users/users.store.ts'
import type { Receiver } from '../verify-code/deliver.ts'
import { type RightCode, sendCode, spendCode, tryCode } from '../verify-code/verify-code.service.ts'

type Needs = Pick<
  Deps,
  | 'db'
  | 'redis'
  | 'cache'
  | 'config'
  | 'clock'
  | 'log'
  | 'breaker'
  | 'mailer'
  | 'usage'
  | 'deliveryFailures'
  | 'randomDelay'
>

/** Where the call comes from. */
export interface Origin {
  address: string
  bucket: string
}

export async function readState(deps: Pick<Deps, 'db'>, site: Site, caller: Caller) {
  const { userId, session, user } = caller
  const held = await lookAtSession(deps.db, site.id, userId, session.id)
  if (!held) throw new AppError('SESSION_REMOVED')
  const second = await owedIdentityProofs(deps.db, caller, held)
  const factors = held.protected ? await listFactorWays(deps.db, site, userId) : []
  return { twoFactor: held.checked && (!held.protected || held.factor), way: checkWay(user), second, factors }
}

/** Codes of a step-up count in the session that requested them. */
const markOf = ({ session }: Caller): Buffer => sha256(`session ${session.id}`)

/** The user's stored contact, never one that a call names. */
function receiverOf({ user }: Caller, way: Way): Receiver {
  const mobile = way === 'mobile' ? ownMobile(user) : undefined
  if (mobile) return { kind: 'mobile', mobile, value: mobile.value }
  if (way === 'email' && user.email) return { kind: 'email', value: user.email }
  throw new AppError('INPUT_INVALID', { field: 'way' })
}

export async function sendCheckCode(
  deps: Needs,
  site: Site,
  caller: Caller,
  way: 'mobile' | 'email',
  { address, bucket, proof }: Origin & { proof?: string | undefined },
): Promise<{ retryAfter: number }> {
  refuseProtected(caller)
  return await sendCode(deps, site, {
    receiver: receiverOf(caller, way),
    purpose: 'twoFactor',
    address,
    bucket,
    browserHash: markOf(caller),
    powSolution: proof,
    asker: 'own',
    send: true,
    wait: true,
  })
}

/** A code, password or WeChat steps up no protected account: whose SIM card it is proves nothing there. */
function refuseProtected({ user }: Caller): void {
  if (user.protected) throw new AppError('INPUT_INVALID', { field: 'way', factor: true })
}

export interface Evidence extends FactorProof {
  code?: string | undefined
  password?: string | undefined
  way?: Way | undefined
  proof?: string | undefined
}

/**
 * The step-up. The way that the account's page offers completes it; any other kind only counts as the second proof that
 * a new browser owes. The code is spent in the transaction that notes the step-up, under a new secret.
 */
export async function verify(
  deps: Needs,
  site: Site,
  caller: Caller,
  evidence: Evidence,
  origin: Origin,
): Promise<SessionToken> {
  if (byFactor(evidence)) return await verifyFactor(deps, site, caller, evidence, origin)
  refuseProtected(caller)
  const { userId, session, user } = caller
  const usualWay = checkWay(user)
  const way = evidence.password === undefined ? (evidence.way ?? usualWay) : 'password'
  if (!way) throw new AppError('INPUT_INVALID', { field: 'way' })
  const right = await prove(deps, site, caller, way, evidence, origin)
  const secret = newSecret()
  await changeSessions(deps, site.id, userId, async (tx, renewed) => {
    // The user before code, name, password and session: the lock order of every change.
    await lockUser(tx, site.id, userId)
    await settle(tx, site, userId, way, right)
    const proved = { first: way === usualWay, second: await isSecond(tx, site.id, userId, way) }
    if (!(await markChecked(tx, site.id, userId, session.id, proved, sha256(secret))))
      throw new AppError('SESSION_REMOVED')
    await recordSecurity(tx, site.id, { event: 'check', userId, address: origin.address, detail: { way } })
    renewed([session.id])
  })
  return { userId, sessionId: session.id, secret }
}

const byFactor = ({ totp, recovery, passkey }: Evidence): boolean =>
  totp !== undefined || recovery !== undefined || passkey !== undefined

/** The step-up of a protected account; it is every kind of proof at once. */
async function verifyFactor(
  deps: Needs,
  site: Site,
  { userId, session, user }: Caller,
  evidence: Evidence,
  { address }: Origin,
): Promise<SessionToken> {
  if (!user.protected) throw new AppError('FACTOR_NONE')
  const prover = { userId, known: true, address, use: { purpose: 'stepUp' as const, holder: session.id } }
  const right = await proveFactor(deps, site, prover, evidence)
  const secret = newSecret()
  await changeSessions(deps, site.id, userId, async (tx, renewed) => {
    await lockUser(tx, site.id, userId)
    await spendFactor(tx, deps, site, prover, right)
    const proved = { first: true, second: true, factor: true }
    if (!(await markChecked(tx, site.id, userId, session.id, proved, sha256(secret))))
      throw new AppError('SESSION_REMOVED')
    await recordSecurity(tx, site.id, { event: 'check', userId, address, detail: { way: right.way } })
    renewed([session.id])
  })
  return { userId, sessionId: session.id, secret }
}

/** What was right: a code to be spent, or a password as it is stored. */
interface Right {
  code?: RightCode
  stored?: string | undefined
}

/**
 * A step-up with a password that was changed meanwhile would return the session to an attacker whom the change locked
 * out.
 */
async function settle(tx: Db, site: Site, userId: UserId, way: Way, { code, stored }: Right): Promise<void> {
  if (code) {
    await spendCode(tx, site.id, code)
    await noteIdentityProof(tx, site.id, userId, way === 'mobile' ? 'mobile' : 'email', code.receiver)
  }
  if (stored !== undefined && !(await holdPassword(tx, site.id, userId, stored))) throw new AppError('PASSWORD_WRONG')
}

async function prove(
  deps: Needs,
  site: Site,
  caller: Caller,
  way: Way,
  evidence: Evidence,
  origin: Origin,
): Promise<Right> {
  if (way === 'password') return { stored: await provePassword(deps, site, caller, evidence, origin) }
  const receiver = receiverOf(caller, way).value
  if (evidence.code === undefined) throw new AppError('INPUT_INVALID', { field: 'code' })
  const asked = { receiver, purpose: 'twoFactor' as const, browserHash: markOf(caller), address: origin.address }
  return { code: await tryCode(deps, site, { ...asked, code: evidence.code, guesser: 'session' }) }
}

/** Counted together with the sign-ins of browsers that the account knows. */
async function provePassword(
  deps: Needs,
  site: Site,
  { userId, user }: Caller,
  { password, proof }: Evidence,
  { address, bucket }: Origin,
): Promise<string | undefined> {
  if (password === undefined || !user.password) throw new AppError('INPUT_INVALID', { field: 'password' })
  requireTurn(deps.config)
  const attempt = { account: userId, userId, known: true, bucket, powSolution: proof }
  await countPasswordTry(deps, site, attempt)
  const stored = await findPassword(deps.db, site.id, userId)
  if (!(await checkPassword(deps.config, password, stored))) {
    await recordFailure(deps.db, site.id, { event: 'check.failed', userId, address })
    throw new AppError('PASSWORD_WRONG')
  }
  await forgetPasswordTries(deps, site, attempt)
  return stored
}
