import { type FeedbackRole, previewOf, referenceOf } from '@hufu/contract/feedback-rules'
import { pages } from '@hufu/contract/pages'
import { z } from 'zod'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { clockText } from '../../platform/time-text.ts'
import type { Deps } from '../../shared/deps.ts'
import { queueMail } from '../../shared/notices/mail-notices.ts'
import {
  notifyByWechat,
  notifyOnce,
  type QueuedWay,
  shortWords,
  type Way,
  waysTo,
} from '../../shared/notices/notice-channels.ts'
import { queueSms } from '../../shared/notices/sms-notices.ts'
import { wechatApp } from '../../shared/sites/site-wechat.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type Addressee, claimNotice, queueNotice, readAddressee } from './feedback-notices.store.ts'

type Needs = Pick<
  Deps,
  'db' | 'redis' | 'breaker' | 'log' | 'config' | 'clock' | 'sites' | 'wechatTokens' | 'deliveryFailures'
>

/** A side with the page open has read it by then. */
const awaySeconds = 60
const usualQuietMinutes = 60
const usualWays: Way[] = ['wechat', 'mail']

const rulesOf = (site: Site) => {
  const {
    ways = usualWays,
    quietMinutes = usualQuietMinutes,
    wechat,
    operators = [],
  } = site.config.notices?.feedback ?? {}
  return { ways, quietMinutes, wechat, operators, template: 'feedback' as const }
}

/** In the transaction of a message: the other side is notified later, if it hasn't read it until then. */
export async function queueFeedbackNotice(
  tx: Db,
  site: Site,
  id: string,
  to: FeedbackRole,
  seq: number,
): Promise<void> {
  const { ways, quietMinutes, operators } = rulesOf(site)
  if ((to === 'user' ? ways : operators).length === 0) return
  await queueNotice(tx, site.id, { id, to, seq }, quietMinutes, awaySeconds)
}

const queued = z.object({ siteId: z.string(), id: z.string(), to: z.enum(['user', 'merchant']), seq: z.number() })

/** Notifies the absent side, once in a quiet period. What was read meanwhile causes no notice. */
export function feedbackNoticeJob(deps: Needs): Job {
  return {
    name: 'feedback-notice',
    async run(data) {
      const { siteId, id, to, seq } = queued.parse(data)
      const site = deps.sites.get(siteId as SiteId)
      if (!site) return
      if (to === 'merchant') return await notifyOperators(deps, site, id, seq)
      const addressee = await readAddressee(deps.db, site.id, id, seq, wechatApp(deps.config.keys, site)?.appId)
      if (addressee) await notifyUser(deps, site, id, seq, addressee)
    },
  }
}

async function notifyOperators(deps: Needs, site: Site, id: string, seq: number): Promise<void> {
  const { operators, quietMinutes } = rulesOf(site)
  const reference = referenceOf(id)
  await deps.db.transaction().execute(async (tx) => {
    if (!(await claimNotice(tx, site.id, { id, to: 'merchant', seq }, quietMinutes))) return
    for (const to of operators) {
      await queueMail(tx, {
        siteId: site.id,
        to,
        subject: `用户反馈待处理（编号 ${reference}）`,
        text: `有一条用户反馈等待处理（编号 ${reference}）。请在管理后台查看：${site.origin}${pages.merchantFeedback}/${id}`,
      })
    }
  })
}

/** By the first channel that reaches the user, if any does. */
async function notifyUser(deps: Needs, site: Site, id: string, seq: number, addressee: Addressee): Promise<void> {
  const rules = rulesOf(site)
  const notification = { id, to: 'user' as const, seq }
  await notifyOnce(deps, waysTo(site, rules, addressee), {
    claim: async (db) => (await claimNotice(db, site.id, notification, rules.quietMinutes)) || undefined,
    queue: (tx, way) => queueWords(tx, deps, site, id, way, addressee),
    byWechat: () =>
      notifyByWechat(deps, site, rules, {
        openid: addressee.openid,
        words: wordsOf(site, id, addressee),
        url: `${site.origin}${pages.userFeedback}/${id}`,
        id: sha256(`${id} ${seq}`).toString('hex').slice(0, 32),
      }),
  })
}

const wordsOf = (site: Site, id: string, { reply, replyTime }: Addressee) => ({
  site: shortWords(site.config.name ?? ''),
  reference: referenceOf(id),
  time: clockText(replyTime),
  reply: shortWords(reply),
})

async function queueWords(
  tx: Db,
  { clock }: Needs,
  site: Site,
  id: string,
  way: QueuedWay,
  { email, mobile, mobilePrefix, reply, replyTime }: Addressee,
): Promise<void> {
  const reference = referenceOf(id)
  if (way === 'sms' && mobile && mobilePrefix) {
    const time = clockText(replyTime ?? clock.now())
    const sms = { siteId: site.id, prefix: mobilePrefix, mobile, time, event: reference, purpose: 'feedback' } as const
    return await queueSms(tx, sms)
  }
  if (!email) return
  await queueMail(tx, {
    siteId: site.id,
    to: email,
    subject: `您的反馈有新回复（编号 ${reference}）`,
    text: `客服回复了您的反馈（编号 ${reference}）：\n\n${previewOf(reply)}\n\n查看并继续沟通：${site.origin}${pages.userFeedback}/${id}`,
  })
}
