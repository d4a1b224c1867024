import { sql } from 'kysely'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Site } from '../sites/sites.ts'
import { type NoticeRules, waysOf } from './notice-channels.ts'

const usualWays = ['wechat', 'mail', 'sms'] as const

/** How the site notifies users of a sign-in with an unknown browser. */
export function loginNoticeRules(site: Site): NoticeRules<'site' | 'time' | 'device' | 'place'> {
  const { ways = usualWays, wechat } = site.config.notices?.login ?? {}
  return { ways, wechat, template: 'notice' }
}

/** In the transaction of the sign-in: there is a notice exactly when that happened. The channel is chosen later. */
export async function queueLoginNotice(tx: Db, site: Site, userId: UserId, sessionId: SessionId): Promise<void> {
  if (waysOf(site, loginNoticeRules(site)).length === 0) return
  const data = JSON.stringify({ siteId: site.id, userId, sessionId })
  await sql`INSERT INTO pgboss.job (name, data, retry_limit, retry_backoff, expire_seconds)
    VALUES ('login-notice', ${data}, 5, true, 120)`.execute(tx)
}
