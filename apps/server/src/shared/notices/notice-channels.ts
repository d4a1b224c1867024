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
/** Those whose messages wait in a queue of their own. */
export type QueuedWay = Exclude<Way, 'wechat'>

/** How a site wants one kind of notice told. */
export interface NoticeRules<Word extends string> {
  /** In this order; the first that leads to the person is gone. */
  ways: readonly Way[]
  /** WeChat's template, and what its fields are filled with. */
  wechat: { templateId: string; fields: Record<string, Word> } | undefined
  /** The template of the texts. */
  template: 'notice' | 'feedback'
}

/** Where a person can be reached. */
export interface Contacts {
  email: string | null
  mobile: string | null
  mobilePrefix: string | null
  openid: string | null
}

/** The ways that the site has at all. */
export function waysOf(site: Site, { ways, wechat, template }: NoticeRules<string>): Way[] {
  const has = {
    wechat: wechat !== undefined && site.config.wechat !== undefined,
    mail: site.config.mail !== undefined,
    sms: textsNotices(site, template),
  }
  return ways.filter((way) => has[way])
}

/** Those that lead to this person. */
export function waysTo(site: Site, rules: NoticeRules<string>, { openid, email, mobile }: Contacts): Way[] {
  const leads = { wechat: openid, mail: email, sms: mobile }
  return waysOf(site, rules).filter((way) => leads[way] !== null)
}

/** One notice; `Claim` is what the one who tells it holds. */
export interface Notification<Claim> {
  /** Undefined for whoever comes second. */
  claim(db: Db, way: Way): Promise<Claim | undefined>
  /** False only when it was surely not sent. */
  byWechat(claim: Claim): Promise<boolean>
  queue(tx: Db, way: QueuedWay, claim: Claim): Promise<void>
}

/** Tells by the first of the ways. After WeChat's definite no the next one is gone; after its silence none is. */
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

/** WeChat's fields for things hold twenty characters. */
export const shortWords = (text: string): string => [...text.replace(/\s+/g, ' ')].slice(0, 20).join('')

type WechatNeeds = Pick<Deps, 'redis' | 'breaker' | 'log' | 'config' | 'wechatTokens' | 'deliveryFailures'>

export interface WechatNotice<Word extends string> {
  openid: string | null
  words: Record<Word, string>
  url: string
  /** The same however often it is tried. */
  id: string
}

/** WeChat's own no, and the breaker's, which lets nothing out. */
const surelyUnsent = (outcome: WechatOutcome<unknown>): boolean =>
  outcome.kind === 'refused' || (outcome.kind === 'unknown' && outcome.reason.startsWith('BREAKER_'))

const isPersonal = (outcome: WechatOutcome<unknown>): boolean =>
  outcome.kind === 'refused' && isUserRefusal(outcome.code)

/** False only when it was surely not sent; without a token nothing ever is. */
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
