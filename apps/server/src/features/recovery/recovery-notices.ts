import type { Db } from '../../platform/postgres/db.ts'
import { clockText } from '../../platform/time-text.ts'
import { queueMail } from '../../shared/notices/mail-notices.ts'
import { queueSms, textsNotices } from '../../shared/notices/sms-notices.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { Owner } from './tickets.ts'

/** To every contact of the account: the address, and the number that is said to be lost. */
async function notify(
  tx: Db,
  site: Site,
  { email, mobilePrefix, mobile }: Owner,
  { time, event, text }: { time: string; event: string; text: string },
): Promise<void> {
  await queueMail(tx, { siteId: site.id, to: email, subject: `您的账号${event}`, text })
  if (mobilePrefix && mobile && textsNotices(site))
    await queueSms(tx, { siteId: site.id, prefix: mobilePrefix, mobile, time, event })
}

/** An owner who didn't request it can stop it during the whole wait: by the mailed link, or signed in. */
export async function notifyStart(
  tx: Db,
  site: Site,
  owner: Owner,
  { now, ready, token }: { now: number; ready: number; token: string },
): Promise<void> {
  const time = clockText(now)
  const text = `您的账号于${time}申请更换绑定的手机号，${clockText(ready)}之后可以设置新的手机号。

如果是您本人操作，无需处理，届时请回到找回页面继续。
如果不是您，说明有人知道您的密码并能查看您的邮箱。请打开以下链接停止更换，然后尽快修改密码：
${site.origin}/recover/stop/${token}`
  await notify(tx, site, owner, { time, event: '申请更换手机号', text })
}

/** To the contacts that the account had before. */
export async function notifyFinish(tx: Db, site: Site, before: Owner, now: number): Promise<void> {
  const time = clockText(now)
  const event = '更换了绑定的手机号'
  const text = `您的账号于${time}${event}，所有设备均已退出登录。如非本人操作，请尽快登录并修改密码，或联系客服。`
  await notify(tx, site, before, { time, event, text })
}
