import { randomBytes } from 'node:crypto'
import type { FactorState } from '@hufu/contract/factors'
import { AppError } from '../../platform/app-error.ts'
import { seal, unseal } from '../../platform/crypto/secrets.ts'
import { base32, findStep } from '../../platform/crypto/totp.ts'
import type { Deps } from '../../shared/deps.ts'
import { deleteFactors, deleteTotp, endTrust, isOperator } from '../../shared/factors/factors.store.ts'
import { trustsBrowsers } from '../../shared/sessions/begin-session.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { holdSession, lookAtSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller, Changer } from '../../shared/sessions/sessions.ts'
import { siteName } from '../../shared/sites/site-name.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { maskedEmail, maskedMobile } from '../../shared/users/masked.ts'
import { changeAccount } from '../users/change-account.ts'
import { holdAccount } from '../users/users.store.ts'
import { addFactor, giveRecoveryCodes, removeFactor } from './change-factors.ts'
import { needsEnrolment, proveEnrolment } from './enrolment.ts'
import { totpContext } from './factor-codes.ts'
import { confirmSecret, putTotp, readFactors, readTotp } from './factors.store.ts'
import { hasOtherWay } from './other-way.ts'
import { listPasskeys } from './passkeys.store.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock' | 'config'>

const secretBytes = 20

export async function readFactorState({ db }: Pick<Deps, 'db'>, site: Site, caller: Caller): Promise<FactorState> {
  const { userId, session, user } = caller
  const held = await lookAtSession(db, site.id, userId, session.id)
  if (!held) throw new AppError('SESSION_REMOVED')
  const operator = await isOperator(db, site.id, userId)
  const trust = trustsBrowsers(site) && !operator
  const { trusted, ...factors } = await readFactors(db, site.id, userId)
  return {
    ...factors,
    protected: held.protected,
    passkeys: await listPasskeys(db, site.id, userId),
    trusted: trust ? trusted : 0,
    trust,
    operator,
    recoverable: user.password && user.email !== null && !operator && site.config.mail !== undefined,
    enrolment: await needsEnrolment(db, site.id, userId, held),
    otherWay: await hasOtherWay(db, site, userId),
  }
}

/** What the app shows beside the code; the secret is stored, and counts once it was confirmed. */
export async function beginTotp(
  deps: Needs,
  site: Site,
  changer: Changer,
  { enrolment }: { enrolment?: string | undefined },
): Promise<{ secret: string; uri: string }> {
  await proveEnrolment(deps, site, changer, enrolment)
  const { caller } = changer
  const secret = randomBytes(secretBytes)
  const sealed = seal(deps.config.keys, totpContext(site.id, caller.userId), secret.toString('base64'))
  await deps.db.transaction().execute(async (tx) => {
    if (!(await holdAccount(tx, site.id, caller.userId))) throw new AppError('SESSION_REMOVED')
    const by = await requireStepUp(tx, caller, 'secondKind', { read: holdSession })
    if (!(await hasOtherWay(tx, site, caller.userId))) throw new AppError('FACTOR_NEEDS_WAY')
    if (!(await putTotp(tx, by, site.id, caller.userId, sealed))) throw new AppError('TOTP_EXISTS')
  })
  return { secret: base32(secret), uri: uriOf(site, caller, base32(secret)) }
}

/** Which account it is of, for a user with several in the app. */
function uriOf(site: Site, { user }: Caller, secret: string): string {
  const { mobile, email, username, nickname } = user
  const name = username ?? (email ? maskedEmail(email) : mobile ? maskedMobile(mobile) : (nickname ?? ''))
  const issuer = siteName(site.config) || new URL(site.origin).hostname
  const label = [issuer, name].filter(Boolean).map((part) => encodeURIComponent(part.replaceAll(':', ' ')))
  return `otpauth://totp/${label.join(':')}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/** Adds the authenticator. The secret has been shown to its owner, so guesses of a code of it need no counting. */
export async function confirmTotp(
  deps: Needs,
  site: Site,
  changer: Changer,
  { totp, enrolment }: { totp: string; enrolment?: string | undefined },
): Promise<{ token: SessionToken; recoveryCodes: string[] | null }> {
  await proveEnrolment(deps, site, changer, enrolment)
  const { userId } = changer.caller
  const added = { event: 'factor.totpAdded', enrolment }
  return await addFactor(deps, site, changer, added, async (tx, { by }) => {
    const stored = await readTotp(tx, site.id, userId)
    if (stored?.confirmed) throw new AppError('TOTP_EXISTS')
    if (!stored?.fresh) throw new AppError('FACTOR_EXPIRED')
    if (!(await hasOtherWay(tx, site, userId))) throw new AppError('FACTOR_NEEDS_WAY')
    const secret = Buffer.from(unseal(deps.config.keys, totpContext(site.id, userId), stored.sealed), 'base64')
    const step = findStep(secret, totp, deps.clock.now())
    if (step === undefined) throw new AppError('FACTOR_WRONG')
    if (!(await confirmSecret(tx, by, site.id, userId, { sealed: stored.sealed, step })))
      throw new AppError('FACTOR_EXPIRED')
  })
}

export const removeTotp = (deps: Needs, site: Site, changer: Changer): Promise<SessionToken> =>
  removeFactor(deps, site, changer, 'factor.totpRemoved', (tx, { by }) =>
    deleteTotp(tx, by, site.id, changer.caller.userId),
  )

/** 关闭登录保护: all factors and recovery codes. */
export const removeFactors = (deps: Needs, site: Site, changer: Changer): Promise<SessionToken> =>
  removeFactor(deps, site, changer, 'factor.off', (tx, { by }) => deleteFactors(tx, by, site.id, changer.caller.userId))

export async function renewRecoveryCodes(
  deps: Needs,
  site: Site,
  changer: Changer,
): Promise<{ token: SessionToken; recoveryCodes: string[] }> {
  let recoveryCodes: string[] = []
  const change = { kind: 'codesRenewed', event: 'factor.codesRenewed' } as const
  const token = await changeAccount(deps, site, changer, change, async (tx, held) => {
    if (!held.by.session.protected) throw new AppError('FACTOR_NONE')
    recoveryCodes = await giveRecoveryCodes(tx, deps, site, changer, held)
    return undefined
  })
  return { token, recoveryCodes }
}

export async function forgetTrusted({ db }: Pick<Deps, 'db'>, site: Site, { userId }: Caller): Promise<null> {
  await endTrust(db, site.id, userId)
  return null
}
