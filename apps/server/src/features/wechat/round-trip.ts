import { randomBytes } from 'node:crypto'
import { wechatCallback } from '@hufu/contract/wechat'
import { z } from 'zod'
import { authorizeUrl, exchangeCode, fetchWechatUser } from '../../integrations/wechat/oauth.ts'
import type { WechatOutcome } from '../../integrations/wechat/wechat.ts'
import { mustStartOver } from '../../integrations/wechat/wechat-errors.ts'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { Deps } from '../../shared/deps.ts'
import { noteRefusal } from '../../shared/notices/delivery-failures.ts'
import { wechatApp } from '../../shared/sites/site-wechat.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type Holder, keepTicket, type SpentTicket, spendTicket } from './wechat.store.ts'
import type { WechatIds } from './wechat-user.ts'

const trip = z.object({
  /** silent and tap sign in; the others belong to a signed-in user. */
  kind: z.enum(['silent', 'tap', 'bind', 'refresh', 'check']),
  /** Where the browser goes in the end. */
  source: z.string(),
})
export type Trip = z.infer<typeof trip>

type Needs = Pick<Deps, 'db' | 'config' | 'log' | 'breaker' | 'deliveryFailures'>

/** How long a user has to answer WeChat. */
const tripSeconds = 600

export function requireApp({ config }: Pick<Deps, 'config'>, site: Site) {
  const app = wechatApp(config.keys, site)
  if (!app) throw new AppError('WECHAT_OFF')
  return app
}

/**
 * The authorize address of WeChat. The state it carries back is valid once, in this browser alone. WeChat identifies a
 * user without asking; further proof, nickname and picture need the user's consent there.
 */
export async function leaveForWechat(deps: Needs, site: Site, wanted: Trip, holder: Holder): Promise<string> {
  const { appId } = requireApp(deps, site)
  const state = randomBytes(16).toString('hex')
  await keepTicket(deps.db, site.id, sha256(state), {
    ...holder,
    purpose: 'state',
    detail: wanted,
    seconds: tripSeconds,
  })
  return authorizeUrl(deps.config.wechat.openUrl, {
    appId,
    redirectUri: `${site.origin}${wechatCallback.path}`,
    scope: wanted.kind === 'silent' ? 'snsapi_base' : 'snsapi_userinfo',
    state,
    forcePopup: wanted.kind === 'check' || wanted.kind === 'tap',
  })
}

/** The trip of a returning browser; undefined where it began elsewhere, has expired or was used. */
export async function endTrip(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  state: string,
  browserHash: Buffer,
): Promise<(Trip & Pick<SpentTicket, 'userId' | 'sessionId'>) | undefined> {
  const spent = await spendTicket(db, site.id, sha256(state), 'state', browserHash)
  return spent && { ...trip.parse(spent.detail), userId: spent.userId, sessionId: spent.sessionId }
}

function dataOf<Data>(outcome: WechatOutcome<Data>): Data {
  if (outcome.kind === 'done') return outcome.data
  if (outcome.kind === 'refused' && mustStartOver(outcome.code)) throw new AppError('WECHAT_EXPIRED')
  throw new AppError('WECHAT_FAILED')
}

export interface Met {
  appId: string
  ids: WechatIds
  /** A guest behind WeChat's snapshot page, whose ids mean nothing. */
  snapshot: boolean
  asked: boolean
  accessToken: string
}

/** The returning user, as WeChat identified them. */
export async function meet(deps: Needs, site: Site, code: string): Promise<Met> {
  const app = requireApp(deps, site)
  const { openid, unionid, snapshot, asked, accessToken } = dataOf(
    noteRefusal(deps, site.id, await exchangeCode(deps, app, code)),
  )
  return { appId: app.appId, ids: { openid, unionid }, snapshot, asked, accessToken }
}

export interface Profile {
  nickname: string
  picture?: string | undefined
}

/** Nickname and picture, with the user's consent. */
export async function readProfile(deps: Needs, site: Site, { accessToken, ids }: Met): Promise<Profile> {
  return dataOf(noteRefusal(deps, site.id, await fetchWechatUser(deps, accessToken, ids.openid)))
}
