import { closingDays } from '@hufu/contract/personal-data-rules'
import { clockText } from '../../core/clock-text.ts'
import type { Db } from '../../core/db.ts'
import { queueMail } from '../../core/notices.ts'
import type { Site } from '../../core/sites.ts'
import { queueSms, textsNotices } from '../../core/text-notices.ts'
import type { Account } from './users.store.ts'

export type Change =
  | 'mobile'
  | 'password'
  | 'email'
  | 'username'
  | 'wechatBound'
  | 'wechatUnbound'
  | 'mobileReleased'
  | 'recoveryCancelled'
  | 'recoveryRefused'
  | 'closing'
  | 'kept'

const events: Record<Change, string> = {
  mobile: '更换了绑定的手机号',
  password: '修改了登录密码',
  email: '修改了电子邮箱',
  username: '修改了用户名',
  wechatBound: '绑定了微信',
  wechatUnbound: '解除了微信绑定',
  mobileReleased: '由客服解除了手机号绑定',
  recoveryCancelled: '取消了更换手机号的申请',
  recoveryRefused: '由客服取消了更换手机号的申请',
  closing: `申请了注销，将于${closingDays}天后删除，登录后可以撤销`,
  kept: '撤销了注销申请',
}

const untexted: Change[] = ['wechatBound', 'mobileReleased', 'recoveryCancelled', 'recoveryRefused', 'kept']

/** What every contact is told, and not one alone. */
const everywhere: Change[] = ['closing']

/**
 * One notice a change, to the contact that the account had before it: the number that was replaced is texted, everything
 * else is mailed where there is an address. An account without either is told nothing. A binding is never texted, it comes
 * with many a first sign-in; nor is a number that was taken off the account or is said to be gone, it is somebody else's.
 */
export async function queueNotice(tx: Db, site: Site, before: Account, change: Change, now: number): Promise<void> {
  const time = clockText(now)
  const { email, mobilePrefix: prefix, mobile } = before
  const text = prefix && mobile && !untexted.includes(change) && textsNotices(site)
  const mail = email && site.config.mail
  const toAll = everywhere.includes(change)
  const byText = text && (toAll || change === 'mobile' || !mail)
  if (byText) await queueSms(tx, { siteId: site.id, prefix, mobile, time, event: events[change] })
  if (mail && (toAll || !byText)) {
    await queueMail(tx, {
      siteId: site.id,
      to: email,
      subject: `您的账号${events[change]}`,
      text: `您的账号于${time}${events[change]}。如非本人操作，请尽快登录并修改密码，或联系客服。`,
    })
  }
}
