import { passkeysMost } from '@hufu/contract/factors'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import { browserOf } from '../../shared/sessions/browser.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import type { Caller, Changer, UserState } from '../../shared/sessions/sessions.ts'
import { rpIdOf } from '../../shared/sites/rp-id.ts'
import { siteName } from '../../shared/sites/site-name.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { maskedEmail, maskedMobile } from '../../shared/users/masked.ts'
import { addFactor, removeFactor } from './change-factors.ts'
import { proveEnrolment } from './enrolment.ts'
import { leavesWay } from './other-way.ts'
import { newChallenge } from './passkey-challenges.ts'
import { creationOptions, requestOptions } from './passkey-options.ts'
import {
  deletePasskey,
  insertPasskey,
  listCredentials,
  listPasskeys,
  setPasskeyName,
  spendChallenge,
} from './passkeys.store.ts'
import { type Attestation, verifyAttestation } from './verify-passkey.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock' | 'config'>
type Options = Record<string, unknown>

const enrolling = ({ session }: Caller) => ({ purpose: 'enrol' as const, holder: session.id })

/** What browsers and password managers show beside the passkey: never empty. */
function namesOf({ id, nickname, username, email, mobile }: UserState) {
  const name = username ?? (email ? maskedEmail(email) : mobile ? maskedMobile(mobile) : (nickname ?? id))
  return { id, name, displayName: nickname ?? name }
}

/** All that would refuse the passkey is checked before the browser makes one. */
export async function beginPasskey(
  deps: Needs,
  site: Site,
  changer: Changer,
  { enrolment }: { enrolment?: string | undefined },
): Promise<Options> {
  await proveEnrolment(deps, site, changer, enrolment)
  const { caller } = changer
  await requireStepUp(deps.db, caller, 'secondKind')
  const passkeys = await listPasskeys(deps.db, site.id, caller.userId)
  if (passkeys.length >= passkeysMost) throw new AppError('PASSKEYS_FULL')
  const existing = await listCredentials(deps.db, site.id, caller.userId, rpIdOf(site))
  const challenge = newChallenge(deps.config.keys, { siteId: site.id, ...enrolling(caller) }, deps.clock.now())
  return creationOptions(site, siteName(site.config), challenge, namesOf(caller.user), existing)
}

export interface AddedPasskey {
  passkey: Attestation
  name?: string | undefined
  enrolment?: string | undefined
  userAgent: string
}

/** Adds a passkey. Its challenge is spent in the same transaction, so one answer makes one passkey. */
export async function addPasskey(
  deps: Needs,
  site: Site,
  changer: Changer,
  { passkey, name, enrolment, userAgent }: AddedPasskey,
): Promise<{ token: SessionToken; id: string; recoveryCodes: string[] | null }> {
  await proveEnrolment(deps, site, changer, enrolment)
  const { caller } = changer
  const verified = await verifyAttestation(deps, site, enrolling(caller), passkey)
  if (!verified) throw new AppError('FACTOR_WRONG')
  const made = { ...verified.passkey, name: name ?? defaultName(userAgent) }
  const frame = { event: 'factor.passkeyAdded', enrolment }
  const { result, ...added } = await addFactor(deps, site, changer, frame, async (tx, { by }) => {
    if (!(await spendChallenge(tx, site.id, verified.challenge))) throw new AppError('FACTOR_WRONG')
    const inserted = await insertPasskey(tx, by, site.id, caller.userId, made)
    if (inserted === 'full') throw new AppError('PASSKEYS_FULL')
    if (inserted === 'taken') throw new AppError('PASSKEY_TAKEN')
    return inserted.id
  })
  return { ...added, id: result }
}

function defaultName(userAgent: string): string {
  const { browser, os } = browserOf(userAgent)
  return `${browser} · ${os}`.slice(0, 40)
}

export async function renamePasskey(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { userId }: Caller,
  { id, name }: { id: string; name: string },
): Promise<null> {
  if (!(await setPasskeyName(db, site.id, userId, id, name))) throw new AppError('NOT_FOUND')
  return null
}

export const removePasskey = (deps: Needs, site: Site, changer: Changer, id: string): Promise<SessionToken> =>
  removeFactor(deps, site, changer, 'factor.passkeyRemoved', async (tx, { by }) => {
    if (!(await deletePasskey(tx, by, site.id, changer.caller.userId, id))) throw new AppError('NOT_FOUND')
    if (!(await leavesWay(tx, site, changer.caller.userId))) throw new AppError('FACTOR_NEEDS_WAY')
    return true
  })

/** For the step-up: the passkeys of the account alone. */
export async function stepUpPasskeyOptions(
  { db, config, clock }: Pick<Deps, 'db' | 'config' | 'clock'>,
  site: Site,
  { userId, session }: Caller,
): Promise<Options> {
  const credentials = await listCredentials(db, site.id, userId, rpIdOf(site))
  if (credentials.length === 0) throw new AppError('PASSKEY_UNKNOWN')
  const use = { siteId: site.id, purpose: 'stepUp' as const, holder: session.id }
  return requestOptions(site, newChallenge(config.keys, use, clock.now()), credentials)
}
