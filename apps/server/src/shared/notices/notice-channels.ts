import { sendTemplate } from '../../integrations/wechat/template.ts'
import type { WechatOutcome } from '../../integrations/wechat/wechat.ts'
import { isUserRefusal } from '../../integrations/wechat/wechat-errors.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../deps.ts'
import { wechatApp } from '../sites/site-wechat.ts'
import type { Site } from '../sites/sites.ts'
import { withToken } from '../wechat-token/wechat-token.ts'
import { textsNotices } from './sms-notices.ts'

export type Way = 'wechat' | 'mail' | 'sms'
/** Channels with a queue of their own. */
export type QueuedWay = Exclude<Way, 'wechat'>

/** How a site sends one kind of notice. */
export interface NoticeRules<Word extends string> {
  /** Channels in this order; the first that reaches the user is used. */
  ways: readonly Way[]
  /** WeChat's template, and what its fields are filled with. */
  wechat: { templateId: string; fields: Record<string, Word> } | undefined
  /** The template of the texts. */
  template: 'notice' | 'feedback'
}

/** Where a user can be reached. */
export interface Contacts {
  email: string | null
  mobile: string | null
  mobilePrefix: string | null
  openid: string | null
}

/** The channels that the site has configured. */
export function waysOf(site: Site, { ways, wechat, template }: NoticeRules<string>): Way[] {
  const has = {
    wechat: wechat !== undefined && site.config.wechat !== undefined,
    mail: site.config.mail !== undefined,
    sms: textsNotices(site, template),
  }
  return ways.filter((way) => has[way])
}

/** Those that reach this user. */
export function waysTo(site: Site, rules: NoticeRules<string>, { openid, email, mobile }: Contacts): Way[] {
  const leads = { wechat: openid, mail: email, sms: mobile }
  return waysOf(site, rules).filter((way) => leads[way] !== null)
}

/** One notice; `Claim` is held by the process that sends it. */
export interface Notification<Claim> {
  /** Undefined for all but the first. */
  claim(db: Db, way: Way): Promise<Claim | undefined>
  /** False only when it was definitely not sent. */
  byWechat(claim: Claim): Promise<boolean>
  queue(tx: Db, way: QueuedWay, claim: Claim): Promise<void>
}

/**
 * Sends by the first channel. After WeChat's definite refusal the next one is used; after an unknown outcome none is.
 */
export async function notifyOnce<Claim>(
  { db }: Pick<Deps, 'db'>,
  [first, ...rest]: Way[],
  notification: Notification<Claim>,
): Promise<void> {
  if (first === undefined) return
  if (first !== 'wechat') {
    await db.transaction().execute(async (tx) => {
      const claim = await notification.claim(tx, first)
      if (claim !== undefined) await notification.queue(tx, first, claim)
    })
    return
  }
  const claim = await notification.claim(db, first)
  if (claim === undefined || (await notification.byWechat(claim))) return
  const next = rest.find((way) => way !== 'wechat')
  if (next) await db.transaction().execute((tx) => notification.queue(tx, next, claim))
}

/** WeChat's `thing` fields hold twenty characters. */
export const shortWords = (text: string): string => [...text.replace(/\s+/g, ' ')].slice(0, 20).join('')

type WechatNeeds = Pick<Deps, 'redis' | 'breaker' | 'log' | 'config' | 'wechatTokens' | 'deliveryFailures'>

export interface WechatNotice<Word extends string> {
  openid: string | null
  words: Record<Word, string>
  url: string
  /** The same id for every retry. */
  id: string
}

/** A refusal by WeChat, or by the circuit breaker, which makes no call. */
const surelyUnsent = (outcome: WechatOutcome<unknown>): boolean =>
  outcome.kind === 'refused' || (outcome.kind === 'unknown' && outcome.reason.startsWith('BREAKER_'))

const isPersonal = (outcome: WechatOutcome<unknown>): boolean =>
  outcome.kind === 'refused' && isUserRefusal(outcome.code)

/** False only when it was definitely not sent; without a token no call is made. */
export async function notifyByWechat<Word extends string>(
  deps: WechatNeeds,
  site: Site,
  { wechat }: NoticeRules<Word>,
  { openid, words, url, id }: WechatNotice<Word>,
): Promise<boolean> {
  const app = wechatApp(deps.config.keys, site)
  if (!app || !wechat || !openid) return false
  const params = Object.fromEntries(Object.entries(wechat.fields).map(([field, word]) => [field, words[word]]))
  const outcomes: WechatOutcome<unknown>[] = []
  await withToken(deps, site.id, app, async (token) => {
    const message = { openid, templateId: wechat.templateId, url, clientMsgId: id, params }
    const outcome = await sendTemplate(deps, token, message)
    outcomes.push(outcome)
    return outcome
  })
  const unsent = outcomes.every(surelyUnsent)
  if (unsent && !outcomes.some(isPersonal)) deps.deliveryFailures.note(site.id, 'wechatNoticeFailed')
  return !unsent
}
