import { z } from 'zod'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import {
  admit,
  beginSession,
  refuseDisabled,
  type SignedIn,
  type Visitor,
} from '../../shared/sessions/begin-session.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import { requireMethod } from '../../shared/sites/login-options.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { checkWay } from '../users/identity-proofs.ts'
import { insertUser, type Owner } from '../users/users.store.ts'
import { leaveForWechat, type Met, type Profile, readProfile, type Trip } from './round-trip.ts'
import { keepTicket, lookAtTicket, showWechat, spendTicket } from './wechat.store.ts'
import { findWechatOwner, giveWechat } from './wechat-user.ts'

type Needs = Pick<Deps, 'db' | 'config' | 'log' | 'breaker' | 'usage' | 'deliveryFailures'>

/** How long a visitor without an account may take to decide. */
const arrivalSeconds = 600

const arrival = z.object({
  appId: z.string(),
  ids: z.object({ openid: z.string(), unionid: z.string().optional() }),
  nickname: z.string(),
  picture: z.string().optional(),
})

/** One for each browser: a later one replaces it. */
const arrivalHash = ({ browserHash }: Visitor) => sha256(Buffer.concat([Buffer.from('arrival '), browserHash]))

export async function startLogin(deps: Needs, site: Site, trip: Trip, { browserHash }: Visitor): Promise<string> {
  requireMethod(site, 'wechat')
  return await leaveForWechat(deps, site, trip, { browserHash })
}

/**
 * A session for a known user; `ask` where a visitor who tapped has no account; undefined for an unknown one who did
 * not.
 */
export async function loginByWechat(
  deps: Needs,
  site: Site,
  kind: 'silent' | 'tap',
  met: Met,
  visitor: Visitor,
): Promise<SessionToken | 'ask' | undefined> {
  if (met.snapshot) throw new AppError('WECHAT_SNAPSHOT')
  const owner = await findWechatOwner(deps.db, site.id, met.appId, met.ids)
  if (owner) return await welcomeBack(deps, site, owner, met, kind, visitor)
  if (kind === 'silent') return undefined
  const profile = await readProfile(deps, site, met)
  await keepTicket(deps.db, site.id, arrivalHash(visitor), {
    purpose: 'arrival',
    browserHash: visitor.browserHash,
    seconds: arrivalSeconds,
    detail: { appId: met.appId, ids: met.ids, ...profile },
  })
  return 'ask'
}

async function welcomeBack(
  { db, usage }: Needs,
  site: Site,
  owner: Owner,
  { appId, ids, asked: byWechat }: Met,
  kind: 'silent' | 'tap',
  visitor: Visitor,
): Promise<SessionToken> {
  const entered = await db.transaction().execute(async (tx) => {
    refuseDisabled(owner)
    const user = await readUser(tx, site.id, owner.userId)
    if (!user) throw new AppError('WECHAT_EXPIRED')
    // A name that became known since the binding; one of another account stays there.
    await giveWechat(tx, withoutStepUp('boundWechat'), site.id, owner.userId, appId, ids)
    const asked = kind === 'tap' && byWechat
    // For a user without any other proof, the consent at WeChat counts as the step-up.
    const checked = asked && checkWay(user) === null
    return await beginSession(tx, site, owner.userId, visitor, 'wechat', { checked, asked })
  })
  const { token } = admit({ entered, created: false })
  usage.countAuthorized(site.id, owner.userId)
  return token
}

/** The visitor who has to decide, in this browser. */
export async function readArrival({ db }: Needs, site: Site, visitor: Visitor): Promise<{ nickname: string }> {
  const detail = await lookAtTicket(db, site.id, arrivalHash(visitor), 'arrival', visitor.browserHash)
  if (detail === undefined) throw new AppError('WECHAT_EXPIRED')
  return { nickname: arrival.parse(detail).nickname }
}

/** 创建新账号: an account with WeChat as its only way to sign in, until its owner adds more. */
export async function createByWechat({ db, usage }: Needs, site: Site, visitor: Visitor): Promise<SignedIn> {
  requireMethod(site, 'wechat')
  if (site.config.registration === 'closed') throw new AppError('REGISTRATION_CLOSED')
  const entered = await db.transaction().execute(async (tx) => {
    const spent = await spendTicket(tx, site.id, arrivalHash(visitor), 'arrival', visitor.browserHash)
    if (!spent) throw new AppError('WECHAT_EXPIRED')
    const { appId, ids, ...profile } = arrival.parse(spent.detail)
    const userId = await insertUser(tx, site.id, {})
    const by = withoutStepUp('registration')
    if (!userId || !(await giveWechat(tx, by, site.id, userId, appId, ids))) throw new AppError('WECHAT_TAKEN')
    await takeProfile(tx, site, userId, ids.openid, profile)
    await recordSecurity(tx, site.id, { event: 'wechat.bind', userId, address: visitor.address })
    return await beginSession(tx, site, userId, visitor, 'wechat', { checked: true, asked: true })
  })
  const signedIn = admit({ entered, created: true })
  usage.countAuthorized(site.id, signedIn.token.userId)
  return signedIn
}

/** Nickname and picture as fallback. The picture is fetched in the background. */
export async function takeProfile(
  tx: Db,
  site: Site,
  userId: Owner['userId'],
  openid: string,
  { nickname, picture }: Profile,
): Promise<void> {
  await showWechat(tx, site.id, userId, { openid, nickname })
  if (picture) await enqueue(tx, 'wechat-avatar', { siteId: site.id, userId, openid, picture })
}
