import type { FeedbackRole } from '@hufu/contract/feedback-rules'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Contacts } from '../../shared/notices/notice-channels.ts'

/** That a side is to be notified of an entry. */
export interface Notification {
  id: string
  to: FeedbackRole
  seq: number
}

const notifiedAt = (to: FeedbackRole) => sql.ref(to === 'user' ? 'user_told_at' : 'merchant_told_at')
const quiet = (to: FeedbackRole, minutes: number) =>
  sql`(${notifiedAt(to)} IS NULL OR ${notifiedAt(to)} < now() - make_interval(mins => ${minutes}))`

/** Only outside the quiet period: a lively conversation queues little. */
export async function queueNotice(
  tx: Db,
  siteId: SiteId,
  notification: Notification,
  quietMinutes: number,
  delaySeconds: number,
): Promise<void> {
  const { id, to } = notification
  const { rows } = await sql`SELECT FROM feedback
    WHERE site_id = ${siteId} AND id = ${id} AND ${quiet(to, quietMinutes)}`.execute(tx)
  if (rows.length === 1) await enqueue(tx, 'feedback-notice', { siteId, ...notification }, { delay: delaySeconds })
}

/** True for the one caller that is to notify: the entry is still unread and the quiet period is over. */
export async function claimNotice(
  db: Db,
  siteId: SiteId,
  { id, to, seq }: Notification,
  quietMinutes: number,
): Promise<boolean> {
  const seen = sql.ref(to === 'user' ? 'user_seen' : 'merchant_seen')
  const { numAffectedRows } = await sql`UPDATE feedback SET ${notifiedAt(to)} = now()
    WHERE site_id = ${siteId} AND id = ${id} AND ${seen} < ${seq} AND ${quiet(to, quietMinutes)}`.execute(db)
  return numAffectedRows === 1n
}

export interface Addressee extends Contacts {
  /** The text of the notice, and when it was written. */
  reply: string
  replyTime: number
}

/** How the user of a conversation can be reached; undefined for a user who can't sign in any more. */
export async function readAddressee(
  db: Db,
  siteId: SiteId,
  id: string,
  seq: number,
  appId: string | undefined,
): Promise<Addressee | undefined> {
  const { rows } = await sql<Addressee>`
    SELECT u.email, u.mobile, u.mobile_prefix AS "mobilePrefix", e.message AS reply,
      (extract(epoch FROM e.at) * 1000)::float8 AS "replyTime",
      (SELECT i.value FROM user_identity i WHERE i.site_id = u.site_id AND i.user_id = u.id
        AND i.kind = ${`wechat.openid:${appId ?? ''}`} LIMIT 1) AS openid
    FROM feedback f JOIN users u ON u.site_id = f.site_id AND u.id = f.user_id
    JOIN feedback_entry e ON e.site_id = f.site_id AND e.feedback_id = f.id AND e.seq = ${seq}
    WHERE f.site_id = ${siteId} AND f.id = ${id} AND u.status = 'active'`.execute(db)
  return rows[0]
}
