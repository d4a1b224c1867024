import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeSessions, changeUser } from '../../shared/sessions/change-user.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { markChecked } from '../../shared/sessions/sessions.store.ts'
import type { Changer } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { leavesWay } from '../factors/other-way.ts'
import { changeAccount } from '../users/change-account.ts'
import { checkWay, isSecond } from '../users/identity-proofs.ts'
import { canSignIn } from '../users/login-methods.ts'
import { holdAccount, takeName } from '../users/users.store.ts'
import { leaveForWechat, type Met, readProfile, type Trip } from './round-trip.ts'
import { hideWechat, keepTicket, listWechatNames, spendTicket } from './wechat.store.ts'
import { takeProfile } from './wechat-login.service.ts'
import { giveWechat, namesOf } from './wechat-user.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'config' | 'clock' | 'log' | 'breaker' | 'deliveryFailures'>

const ticketSeconds = 60

/** For one navigation of this session: a link on another site has none (CSRF). */
export async function makeTicket({ db }: Needs, site: Site, { caller, browserHash }: Changer): Promise<string> {
  const ticket = newSecret()
  const { userId, session } = caller
  await keepTicket(db, site.id, sha256(ticket), {
    purpose: 'ticket',
    browserHash,
    userId,
    sessionId: session.id,
    seconds: ticketSeconds,
  })
  return ticket
}

/** Whether the ticket was this session's and is used up now. */
export async function useTicket({ db }: Needs, site: Site, ticket: string, actor: Changer): Promise<boolean> {
  const spent = await spendTicket(db, site.id, sha256(ticket), 'ticket', actor.browserHash)
  const { userId, session } = actor.caller
  return spent?.userId === userId && spent.sessionId === session.id
}

/** To WeChat for a signed-in user. */
export async function startTrip(
  deps: Needs,
  site: Site,
  trip: Trip,
  { caller, browserHash }: Changer,
): Promise<string> {
  const { userId, session } = caller
  if (trip.kind === 'bind') await requireStepUp(deps.db, caller, 'secondKind', { recentSignIn: true })
  return await leaveForWechat(deps, site, trip, { browserHash, userId, sessionId: session.id })
}

/** Undefined when it was bound already: then only nickname and picture are new. */
export async function bind(deps: Needs, site: Site, met: Met, actor: Changer): Promise<SessionToken | undefined> {
  if (met.snapshot) throw new AppError('WECHAT_SNAPSHOT')
  const profile = await readProfile(deps, site, met)
  const { appId, ids } = met
  const { userId } = actor.caller
  if (await isOwn(deps.db, site, actor, met)) {
    await refreshProfile(deps, site, met, actor, profile)
    return undefined
  }
  // A new way to sign in needs a recent sign-in or a step-up: an unlocked phone alone has neither.
  const change = { kind: 'wechatBound', event: 'wechat.bind', recentSignIn: true } as const
  return await changeAccount(deps, site, actor, change, async (tx, { by }) => {
    const bound = await listWechatNames(tx, site.id, userId)
    if (bound.some(({ kind }) => namesOf(appId, ids).some((name) => name.kind === kind)))
      throw new AppError('WECHAT_OTHER')
    if (!(await giveWechat(tx, by, site.id, userId, appId, ids))) throw new AppError('WECHAT_TAKEN')
    await takeProfile(tx, site, userId, ids.openid, profile)
    return undefined
  })
}

/** Whether this WeChat is the one that is bound to the account. */
async function isOwn(db: Db, site: Site, { caller }: Changer, { appId, ids }: Met): Promise<boolean> {
  const bound = await listWechatNames(db, site.id, caller.userId)
  const [first] = namesOf(appId, ids).filter(({ kind }) => bound.some((name) => name.kind === kind))
  return first !== undefined && bound.some(({ kind, value }) => kind === first.kind && value === first.value)
}

async function refreshProfile(
  deps: Needs,
  site: Site,
  { appId, ids }: Met,
  { caller: { userId } }: Changer,
  profile: Awaited<ReturnType<typeof readProfile>>,
): Promise<void> {
  await changeUser(deps, site.id, userId, async (tx) => {
    if (!(await holdAccount(tx, site.id, userId))) throw new AppError('SESSION_REMOVED')
    await giveWechat(tx, withoutStepUp('boundWechat'), site.id, userId, appId, ids)
    await takeProfile(tx, site, userId, ids.openid, profile)
  })
}

export async function refresh(deps: Needs, site: Site, met: Met, actor: Changer): Promise<void> {
  if (met.snapshot) throw new AppError('WECHAT_SNAPSHOT')
  if (!(await isOwn(deps.db, site, actor, met))) throw new AppError('WECHAT_STRANGER')
  await refreshProfile(deps, site, met, actor, await readProfile(deps, site, met))
}

/** The bound WeChat counts as the second kind of proof; as the first where the account has no other. */
export async function check(deps: Needs, site: Site, met: Met, actor: Changer): Promise<SessionToken> {
  if (met.snapshot) throw new AppError('WECHAT_SNAPSHOT')
  // A protected account is stepped up by its factor alone.
  if (actor.caller.user.protected) throw new AppError('TWO_FACTOR_REQUIRED', { factor: true })
  // What the user didn't see proves nothing.
  if (!met.asked) throw new AppError('WECHAT_REFUSED')
  if (!(await isOwn(deps.db, site, actor, met))) throw new AppError('WECHAT_STRANGER')
  const { userId, session, user } = actor.caller
  const secret = newSecret()
  await changeSessions(deps, site.id, userId, async (tx, renewed) => {
    const proved = { first: checkWay(user) === null, second: await isSecond(tx, site.id, userId, 'wechat') }
    if (!(await markChecked(tx, site.id, userId, session.id, proved, sha256(secret))))
      throw new AppError('SESSION_REMOVED')
    await recordSecurity(tx, site.id, { event: 'check', userId, address: actor.address, detail: { way: 'wechat' } })
    renewed([session.id])
  })
  return { userId, sessionId: session.id, secret }
}

/** Unbinds WeChat, after a step-up and if another way to sign in is left. */
export async function unbind(deps: Needs, site: Site, actor: Changer): Promise<SessionToken> {
  const { userId, user } = actor.caller
  const change = { kind: 'wechatUnbound', event: 'wechat.unbind' } as const
  return await changeAccount(deps, site, actor, change, async (tx, { account, by }) => {
    if (!canSignIn(site, { ...account, password: user.password, wechat: false })) throw new AppError('WECHAT_LAST')
    for (const { kind, value } of await listWechatNames(tx, site.id, userId))
      await takeName(tx, by, site.id, userId, kind, value)
    await hideWechat(tx, site.id, userId)
    if (!(await leavesWay(tx, site, userId))) throw new AppError('WECHAT_LAST')
    return undefined
  })
}
