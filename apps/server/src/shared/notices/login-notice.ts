import type { SessionId, UserId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
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
  await enqueue(tx, 'login-notice', { siteId: site.id, userId, sessionId })
}
