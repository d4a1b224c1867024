import { AppError } from '../../platform/app-error.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { isOperator, settleProtection } from '../../shared/factors/factors.store.ts'
import { forgetOtherBrowsers } from '../../shared/sessions/known-browsers.store.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { endOtherSessions } from '../../shared/sessions/sessions.store.ts'
import type { Changer } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { changeAccount, type Held } from '../users/change-account.ts'
import { settleEnrolment } from './enrolment.ts'
import { newRecoveryCodes } from './factor-codes.ts'
import { listRecoveryCodes, markFactor, replaceRecoveryCodes } from './factors.store.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock' | 'config'>

interface Added<Result> {
  token: SessionToken
  result: Result
  /** Shown once; null where the account has codes already. */
  recoveryCodes: string[] | null
}

/** Adds a factor, within the frame of every account change. The first one comes with recovery codes. */
export async function addFactor<Result>(
  deps: Needs,
  site: Site,
  changer: Changer,
  { event, enrolment }: { event: string; enrolment: string | undefined },
  insert: (tx: Db, held: Held) => Promise<Result>,
): Promise<Added<Result>> {
  const { userId, session } = changer.caller
  let added: Omit<Added<Result>, 'token'> | undefined
  const token = await changeAccount(deps, site, changer, { kind: 'factorAdded', event }, async (tx, held) => {
    await settleEnrolment(tx, deps, changer.caller, held.by.session, enrolment)
    const result = await insert(tx, held)
    await settleProtection(tx, site.id, userId)
    await markFactor(tx, site.id, userId, session.id)
    const has = (await listRecoveryCodes(tx, site.id, userId)).length > 0
    added = { result, recoveryCodes: has ? null : await giveRecoveryCodes(tx, deps, site, changer, held) }
    return held.by.session.protected ? undefined : await endUnproved(tx, site, changer, held)
  })
  if (!added) throw new Error('nothing was added')
  return { token, ...added }
}

/**
 * The other sessions began without a second factor: they end with the first one. Their browsers are forgotten, except by a
 * browser that is new itself: an attacker must not make the owner's a stranger.
 */
async function endUnproved(tx: Db, site: Site, { caller }: Changer, { by }: Held): Promise<SessionId[]> {
  const { userId, session } = caller
  if (!by.session.newBrowser) await forgetOtherBrowsers(tx, site.id, userId, session.id)
  return await endOtherSessions(tx, site.id, userId, session.id, 'factor')
}

/** New recovery codes in place of all former ones. */
export async function giveRecoveryCodes(
  tx: Db,
  { config: { keys } }: Pick<Deps, 'config'>,
  site: Site,
  { caller: { userId } }: Changer,
  { by }: Held,
): Promise<string[]> {
  const { codes, sealed } = newRecoveryCodes(keys, site.id, userId)
  await replaceRecoveryCodes(tx, by, site.id, userId, sealed)
  return codes
}

/** Removes a factor, within the same frame. `remove` answers whether there was one; an operator keeps the last. */
export async function removeFactor(
  deps: Needs,
  site: Site,
  changer: Changer,
  event: string,
  remove: (tx: Db, held: Held) => Promise<boolean>,
): Promise<SessionToken> {
  const { userId } = changer.caller
  return await changeAccount(deps, site, changer, { kind: 'factorRemoved', event }, async (tx, held) => {
    if (!(await remove(tx, held))) throw new AppError('FACTOR_NONE')
    const still = await settleProtection(tx, site.id, userId)
    if (!still && (await isOperator(tx, site.id, userId))) throw new AppError('FACTOR_LAST')
    return undefined
  })
}
