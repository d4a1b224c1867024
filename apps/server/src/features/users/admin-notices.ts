import type { MachineScope } from '@hufu/contract/machine-scopes'
import { type MerchantRight, shortId } from '@hufu/contract/merchant-rights'
import { pages } from '@hufu/contract/pages'
import { isUuid, type UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { clockText } from '../../platform/time-text.ts'
import { queueMail } from '../../shared/notices/mail-notices.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { listAdminContacts } from './rights.store.ts'

const rightNames: Record<MerchantRight, string> = { READ: '查看', WRITE: '回复与推送', ADMIN: '管理' }

interface Notice {
  subject: string
  what: string
}

/** Mails every ADMIN, in the transaction of the cause. The back-office shows the same on its first page. */
async function notifyAdmins(tx: Db, site: Site, { subject, what }: Notice): Promise<void> {
  if (!site.config.mail) return
  const text = `${what}

如果这是正常的工作安排，无需处理。
如果您不知情，请尽快登录管理后台查看操作记录，停用相关账号并收回其权限：
${site.origin}${pages.merchantLog}`
  for (const { email } of await listAdminContacts(tx, site.id))
    await queueMail(tx, { siteId: site.id, to: email, subject, text })
}

/** No name: a queued mail to others outlives the erasure of the user it names. */
const userText = (id: UserId): string => `用户 ${shortId(id)} `

export interface Granted {
  by: UserId
  to: UserId
  actions: readonly MerchantRight[]
}

export async function notifyGrant(tx: Db, site: Site, { by, to, actions }: Granted, now: number): Promise<void> {
  const rights = actions.map((action) => rightNames[action]).join('、')
  await notifyAdmins(tx, site, {
    subject: '管理后台有新的授权',
    what: `${userText(by)}于${clockText(now)}授予${userText(to)}管理后台的权限：${rights}。`,
  })
}

/** A user's id, or `cli:` and a name. */
const operatorText = (by: string): string =>
  isUuid(by) ? userText(by as UserId) : `${by.replace(/^cli:/, '')}（命令行）`

export async function notifyFactorReset(
  tx: Db,
  site: Site,
  { by, to }: { by: string; to: UserId },
  now: number,
): Promise<void> {
  await notifyAdmins(tx, site, {
    subject: '后台成员的登录保护被重置',
    what: `${operatorText(by)}于${clockText(now)}重置了${userText(to)}的登录保护，该成员的验证方式已全部移除。`,
  })
}

const scopeNames: Record<MachineScope, string> = {
  'users:read': '查看用户',
  'users:contact': '查看完整的手机号和邮箱',
  'users:write': '停用和启用用户',
  'sessions:revoke': '让用户下线',
  'feedback:read': '查看反馈',
  'feedback:write': '回复和结束反馈',
  'events:read': '读取事件',
  'config:read': '查看配置',
}

export async function notifyMachineGrant(
  tx: Db,
  site: Site,
  by: string,
  grants: { name: string; scopes: MachineScope[] }[],
  now: number,
): Promise<void> {
  const given = grants.map(({ name, scopes }) => `「${name}」：${scopes.map((each) => scopeNames[each]).join('、')}`)
  await notifyAdmins(tx, site, {
    subject: '应用获得了管理接口的权限',
    what: `${operatorText(by)}于${clockText(now)}为应用开通了管理接口的权限，或更换了它们的密钥：
${given.join('\n')}`,
  })
}

export async function notifyEndpointDisabled(tx: Db, site: Site, endpoint: string, now: number): Promise<void> {
  await notifyAdmins(tx, site, {
    subject: '事件通知已停止发送',
    what: `接收地址「${endpoint}」多次未能收到事件通知，系统于${clockText(now)}停止向它发送。停止期间的事件保留30天。接收方恢复后，请让服务器管理员执行 hufu webhook resume 恢复发送，并在管理后台核对地址：
${site.origin}${pages.merchantConfig}`,
  })
}

export async function notifyExport(
  tx: Db,
  site: Site,
  by: string,
  { total, withHashes = false }: { total: number; withHashes?: boolean },
  now: number,
): Promise<void> {
  const hashes = withHashes ? '，以及密码摘要' : ''
  await notifyAdmins(tx, site, {
    subject: '用户数据被导出',
    what: `${operatorText(by)}于${clockText(now)}导出了${total}名用户的数据，其中包含完整的手机号和邮箱${hashes}。`,
  })
}
