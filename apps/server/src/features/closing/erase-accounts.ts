import { sealedDays } from '@hufu/contract/personal-data-rules'
import type { Outcome } from '../../integrations/outcome.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { sendMail } from '../../shared/notices/mail-notices.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import { listAdmins, lockRights } from '../users/rights.store.ts'
import { lockUser } from '../users/user.store.ts'
import { type Due, hasRights, listClients, markNotified, spendDue, takeDue } from './closing.store.ts'
import { queueDeletionWebhooks } from './deletion-webhook.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'config' | 'sites' | 'mailer' | 'clock' | 'log'>

/** Erases all data of a user; answers the sessions that existed, or undefined when there is no such user. */
export type EraseUser = (
  tx: Db,
  deps: Pick<Deps, 'config'>,
  siteId: SiteId,
  userId: UserId,
) => Promise<SessionId[] | undefined>

const lastMail = {
  subject: '您的账号已注销',
  text: `您申请注销的账号已到期，账号和个人信息将立即删除，无法恢复。依照法律须留存的登录记录会封存${sealedDays}天，到期后一并删除。`,
}

/** The mail was sent or never will be: an address that the server refuses stays refused. */
const isSettled = (outcome: Outcome | undefined): boolean =>
  outcome === undefined || outcome.kind === 'sent' || (outcome.kind === 'refused' && /^SMTP_5/.test(outcome.code))

/** Sent here and not queued: nothing of the user may be left in a queue. False when it should be retried. */
async function notifyUser(deps: Needs, { siteId, userId, id, notified, late }: Due): Promise<boolean> {
  const user = notified ? undefined : await readUser(deps.db, siteId, userId)
  if (!user?.email) return true
  const outcome = await sendMail(deps, { siteId, to: user.email, ...lastMail, id })
  if (!isSettled(outcome)) return late
  await markNotified(deps.db, siteId, userId)
  return true
}

/** No ADMIN would be left: the administrator of the server has to appoint one first. */
async function isNeeded(db: Db, { siteId, userId }: Due): Promise<boolean> {
  const user = await readUser(db, siteId, userId)
  const admin = user?.permission.MERCHANT?.includes('ADMIN') ?? false
  return admin && (await listAdmins(db, siteId)).length === 0
}

/**
 * For users with rights, the site's rights are locked first; for all others that would only block the site. False when
 * rights were granted meanwhile: the next run will know.
 */
async function lockDue(tx: Db, { siteId, userId }: Due): Promise<boolean> {
  const rights = await hasRights(tx, siteId, userId)
  if (rights) await lockRights(tx, siteId)
  await lockUser(tx, siteId, userId)
  return rights || !(await hasRights(tx, siteId, userId))
}

/** All or nothing; undefined when another worker has done it, or the account is needed or disabled. */
async function erase(tx: Db, deps: Needs, due: Due, eraseUser: EraseUser): Promise<SessionId[] | undefined> {
  const { siteId, userId } = due
  if (!(await lockDue(tx, due)) || (await isNeeded(tx, due)) || !(await spendDue(tx, due))) return undefined
  const clients = await listClients(tx, siteId, userId)
  const ended = await eraseUser(tx, deps, siteId, userId)
  await queueDeletionWebhooks(tx, deps, { siteId, userId, clients })
  return ended ?? []
}

async function eraseDue(deps: Needs, due: Due, eraseUser: EraseUser): Promise<void> {
  const { siteId, userId, id } = due
  const about = { site: siteId, deletion: id }
  if (await isNeeded(deps.db, due)) return deps.log.warn(about, 'an account waits to be erased: appoint another ADMIN')
  if (!(await notifyUser(deps, due))) return deps.log.warn(about, 'an account waits to be erased: its last mail failed')
  const erased = await changeUser(deps, siteId, userId, async (tx, ended) => {
    const sessions = await erase(tx, deps, due, eraseUser)
    if (sessions) ended(sessions)
    return sessions !== undefined
  })
  if (erased) deps.log.info(about, 'an account was erased')
}

/** One after the other; one that fails is left for a later run and doesn't block the others. */
export function eraseAccountsJob(deps: Needs, eraseUser: EraseUser): Job {
  return {
    name: 'erase-accounts',
    cron: '* * * * *',
    retries: 0,
    async run() {
      for (let due = await takeDue(deps.db); due; due = await takeDue(deps.db)) {
        await eraseDue(deps, due, eraseUser).catch((error) =>
          deps.log.error({ err: error, site: due?.siteId, deletion: due?.id }, 'an account could not be erased'),
        )
      }
    },
  }
}
