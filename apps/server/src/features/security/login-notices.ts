import { pages } from '@hufu/contract/pages'
import { z } from 'zod'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { clockText } from '../../platform/time-text.ts'
import type { Deps } from '../../shared/deps.ts'
import { loginNoticeRules } from '../../shared/notices/login-notice.ts'
import { queueMail } from '../../shared/notices/mail-notices.ts'
import {
  notifyByWechat,
  notifyOnce,
  type QueuedWay,
  shortWords,
  type Way,
  waysTo,
} from '../../shared/notices/notice-channels.ts'
import { issueLink } from '../../shared/notices/notice-links.store.ts'
import { queueSms } from '../../shared/notices/sms-notices.ts'
import { wechatApp } from '../../shared/sites/site-wechat.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { lockUser } from '../users/user.store.ts'
import { type Addressee, countNoticesToday, readAddressee } from './login-notices.store.ts'

type Needs = Pick<Deps, 'db' | 'redis' | 'breaker' | 'log' | 'config' | 'sites' | 'wechatTokens' | 'deliveryFailures'>

const linkDays = 7
/** Repeated sign-ins must not become a way to have messages sent at the site's cost. */
const mostADay: Record<Way, number> = { wechat: 10, mail: 10, sms: 3 }

interface Noticed {
  userId: UserId
  sessionId: SessionId
}

const queued = z.object({ siteId: z.string(), userId: z.string(), sessionId: z.string() })

/** Notifies a user of a sign-in with an unknown browser: once, however often it runs. */
export function loginNoticeJob(deps: Needs): Job {
  return {
    name: 'login-notice',
    async run(data) {
      const { siteId, ...noticed } = queued.parse(data)
      const { userId, sessionId } = noticed as Noticed
      const site = deps.sites.get(siteId as SiteId)
      if (!site) return
      const { appId } = wechatApp(deps.config.keys, site) ?? {}
      const addressee = await readAddressee(deps.db, site.id, userId, sessionId, appId)
      if (addressee) await notifyUser(deps, site, { userId, sessionId }, addressee)
    },
  }
}

async function notifyUser(deps: Needs, site: Site, noticed: Noticed, addressee: Addressee): Promise<void> {
  const rules = loginNoticeRules(site)
  await notifyOnce(deps, waysTo(site, rules, addressee), {
    claim: (db, way) => claim(db, site, noticed, way),
    queue: async (tx, way, token) => {
      // Also where WeChat's refusal came first, with this one counted already; meanwhile the user may be erased.
      if (!(await mayNotify(tx, site, noticed.userId, mostADay[way] + 1))) return
      await queueWords(tx, site, way, addressee, linkTo(site, token))
    },
    byWechat: (token) =>
      notifyByWechat(deps, site, rules, {
        openid: addressee.openid,
        words: wordsOf(site, addressee),
        url: linkTo(site, token),
        id: sha256(`login ${noticed.sessionId}`).toString('hex').slice(0, 32),
      }),
  })
}

/** Counted under the user's lock: of two at once the second sees the first. An erased user gets no notice. */
async function mayNotify(tx: Db, site: Site, userId: UserId, most: number): Promise<boolean> {
  if (!(await lockUser(tx, site.id, userId))) return false
  return (await countNoticesToday(tx, site.id, userId, linkDays)) < most
}

/** The link's token, for the one caller that is to notify. */
async function claim(db: Db, site: Site, { userId, sessionId }: Noticed, way: Way): Promise<string | undefined> {
  if (!(await mayNotify(db, site, userId, mostADay[way]))) return undefined
  return await issueLink(db, site.id, { purpose: 'disown', userId, subject: sessionId, days: linkDays })
}

const linkTo = (site: Site, token: string) => `${site.origin}${pages.disown.replace(':token', token)}`

const wordsOf = (site: Site, { time, browser, os, region, ip }: Addressee) => ({
  site: shortWords(site.config.name ?? ''),
  time: clockText(time),
  device: shortWords(`${browser} ${os}`),
  place: shortWords(region ?? ip),
})

async function queueWords(
  tx: Db,
  site: Site,
  way: QueuedWay,
  { email, mobile, mobilePrefix, time, browser, os, ip, region }: Addressee,
  link: string,
): Promise<void> {
  const when = clockText(time)
  if (way === 'sms' && mobile && mobilePrefix) {
    return await queueSms(tx, { siteId: site.id, prefix: mobilePrefix, mobile, time: when, event: '在新设备上登录' })
  }
  if (!email) return
  await queueMail(tx, {
    siteId: site.id,
    to: email,
    subject: '您的账号在新设备上登录',
    text: [
      '您的账号刚刚在一台新设备上登录：',
      `时间：${when}\n设备：${browser}，${os}\n地点：${region ? `${region}（${ip}）` : ip}`,
      '如果是您本人，无需操作。',
      `如果不是您，请点击以下链接，让该设备立即下线：\n${link}`,
      `链接${linkDays}天内有效，只能使用一次。`,
    ].join('\n\n'),
  })
}
