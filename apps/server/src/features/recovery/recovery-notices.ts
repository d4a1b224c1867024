import type { RecoveryPurpose } from '@hufu/contract/recovery'
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

const wanted: Record<RecoveryPurpose, { event: string; begun: string; stop: string; done: string }> = {
  mobile: {
    event: '申请更换手机号',
    begun: '申请更换绑定的手机号，{ready}之后可以设置新的手机号',
    stop: '停止更换',
    done: '更换了绑定的手机号',
  },
  factor: {
    event: '申请移除登录保护',
    begun: '申请移除登录保护，{ready}之后可以移除',
    stop: '停止移除',
    done: '移除了登录保护',
  },
}

/** An owner who didn't request it can stop it during the whole wait: by the mailed link, or signed in. */
export async function notifyStart(
  tx: Db,
  site: Site,
  owner: Owner,
  { purpose, now, ready, token }: { purpose: RecoveryPurpose; now: number; ready: number; token: string },
): Promise<void> {
  const time = clockText(now)
  const { event, begun, stop } = wanted[purpose]
  const text = `您的账号于${time}${begun.replace('{ready}', clockText(ready))}。

如果是您本人操作，无需处理，届时请回到找回页面继续。
如果不是您，说明有人知道您的密码并能查看您的邮箱。请打开以下链接${stop}，然后尽快修改密码：
${site.origin}/recover/stop/${token}${purpose === 'factor' ? '?purpose=factor' : ''}`
  await notify(tx, site, owner, { time, event, text })
}

/** To the contacts that the account had before. */
export async function notifyFinish(
  tx: Db,
  site: Site,
  before: Owner,
  purpose: RecoveryPurpose,
  now: number,
): Promise<void> {
  const time = clockText(now)
  const event = wanted[purpose].done
  const text = `您的账号于${time}${event}，所有设备均已退出登录。如非本人操作，请尽快登录并修改密码，或联系客服。`
  await notify(tx, site, before, { time, event, text })
}
