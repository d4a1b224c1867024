import { pages } from '@hufu/contract/pages'
import { closingDays } from '@hufu/contract/personal-data-rules'
import { type UndoableKind, undoableKinds, undoHours } from '@hufu/contract/undo'
import type { Db } from '../../platform/postgres/db.ts'
import { clockText } from '../../platform/time-text.ts'
import { queueMail } from '../../shared/notices/mail-notices.ts'
import { queueSms, textsNotices } from '../../shared/notices/sms-notices.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { Account } from './users.store.ts'

export type Change =
  | UndoableKind
  | 'undone'
  | 'codesRenewed'
  | 'codeUsed'
  | 'mobileReleased'
  | 'recoveryCancelled'
  | 'recoveryRefused'
  | 'factorRecoveryCancelled'
  | 'factorRecoveryRefused'
  | 'factorsReset'
  | 'closing'
  | 'kept'

const events: Record<Change, string> = {
  mobile: '更换了绑定的手机号',
  password: '修改了登录密码',
  email: '修改了电子邮箱',
  username: '修改了用户名',
  wechatBound: '绑定了微信',
  wechatUnbound: '解除了微信绑定',
  factorAdded: '添加了登录保护的验证方式',
  factorRemoved: '移除了登录保护的验证方式',
  codesRenewed: '更换了恢复码',
  codeUsed: '使用恢复码完成了身份验证',
  undone: '撤销了近期的更改，并重新设置了密码',
  mobileReleased: '由客服解除了手机号绑定',
  recoveryCancelled: '取消了更换手机号的申请',
  recoveryRefused: '由客服取消了更换手机号的申请',
  factorRecoveryCancelled: '取消了移除登录保护的申请',
  factorRecoveryRefused: '由客服取消了移除登录保护的申请',
  factorsReset: '由管理员重置了登录保护',
  closing: `申请了注销，将于${closingDays}天后删除，登录后可以撤销`,
  kept: '撤销了注销申请',
}

const untexted: Change[] = ['wechatBound', 'mobileReleased', 'recoveryCancelled', 'recoveryRefused', 'kept']

export const isUndoable = (change: Change): change is UndoableKind => undoableKinds.some((kind) => kind === change)

/** The second parameter of an SMS. Gateways refuse URLs in a parameter, so the page is named. */
const textOf = (change: Change) => (isUndoable(change) ? `${events[change]}，非本人请到登录页找回账号` : events[change])

interface UndoLink {
  /** The address from before all recent changes. */
  to: string
  token: string
}

/**
 * To every contact that the account had before the change, by SMS and mail. A WeChat binding is never sent by SMS, as
 * it comes with many first sign-ins; nor is one sent to a number that was taken off the account or is said to be lost,
 * which belongs to another user.
 */
export async function queueNotice(
  tx: Db,
  site: Site,
  before: Pick<Account, 'email' | 'mobilePrefix' | 'mobile'>,
  change: Change,
  now: number,
  undo?: UndoLink,
): Promise<void> {
  const time = clockText(now)
  const { email, mobilePrefix: prefix, mobile } = before
  if (prefix && mobile && !untexted.includes(change) && textsNotices(site))
    await queueSms(tx, { siteId: site.id, prefix, mobile, time, event: textOf(change) })
  if (!site.config.mail) return
  const mail = (to: string, advice: string) =>
    queueMail(tx, {
      siteId: site.id,
      to,
      subject: `您的账号${events[change]}`,
      text: `您的账号于${time}${events[change]}。${advice}`,
    })
  if (undo) await mail(undo.to, undoAdvice(site, undo.token))
  if (email && email !== undo?.to) await mail(email, '如非本人操作，请尽快登录并修改密码，或联系客服。')
}

const undoAdvice = (site: Site, token: string) => `

如果是您本人操作，无需处理。
如果不是您，请在${undoHours}小时内打开以下链接，撤销更改并重新设置密码：
${site.origin}${pages.undo.replace(':token', token)}`
