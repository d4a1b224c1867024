import { picturesOnly, previewOf } from '@hufu/contract/feedback-rules'
import type { MerchantHome, Waiter } from '@hufu/contract/statistics'
import type { SiteId } from '../../platform/ids.ts'
import { chinaDay, chinaMidnight } from '../../shared/china-day.ts'
import type { Deps } from '../../shared/deps.ts'
import { wechatApp } from '../../shared/sites/site-wechat.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { shownMobile } from '../../shared/users/masked.ts'
import { countSince, countUsers } from '../users/user-counts.ts'
import { readLastSave, readOldest, readRatings, readWaiting, type WaitingTalk } from './home.store.ts'
import { readAttention } from './home-attention.ts'
import { type Span, sumSpans } from './statistics.store.ts'

type Needs = Pick<Deps, 'db' | 'pool' | 'redis' | 'clock' | 'log' | 'config'>

const hour = 3_600_000
const day = 24 * hour

/**
 * Today since midnight in China, and yesterday up to the same hour. Usage is summed by the hour, so the present hour counts
 * as a whole one on both sides: early in it yesterday looks a little better than it was.
 */
function daysOf(now: number): { today: Span; yesterday: Span } {
  const midnight = chinaMidnight(chinaDay(now))
  const hourEnd = now - (now % hour) + hour
  return { today: { from: midnight, to: midnight + day }, yesterday: { from: midnight - day, to: hourEnd - day } }
}

/** New users of today and yesterday, over the same hours as the rest. */
async function countNew(deps: Needs, siteId: SiteId, { today, yesterday }: ReturnType<typeof daysOf>) {
  const newToday = await countSince(deps, siteId, today.from)
  const sinceYesterday = await countSince(deps, siteId, yesterday.from)
  const sinceThen = await countSince(deps, siteId, yesterday.to)
  return { today: newToday, yesterday: Math.max(sinceYesterday - sinceThen, 0) }
}

const waiterOf = (site: Site, { id, status, since, name, mobile, message }: WaitingTalk): Waiter => ({
  id,
  status,
  since,
  name: name ?? shownMobile(site, mobile),
  preview: message === '' ? picturesOnly : previewOf(message ?? ''),
})

/** What waits for operators, and today's figures. One query after the other: it must not exhaust the pool. */
export async function readHome(deps: Needs, site: Site): Promise<MerchantHome> {
  const { db, clock, config } = deps
  const days = daysOf(clock.now())
  const [today, yesterday] = await sumSpans(db, site.id, [days.today, days.yesterday])
  return {
    ...(await readWaiting(db, site.id)),
    oldest: (await readOldest(db, site.id)).map((talk) => waiterOf(site, talk)),
    userCount: await countUsers(deps, site.id),
    accessed: { today: today?.AccessedUsers ?? 0, yesterday: yesterday?.AccessedUsers ?? 0 },
    newUsers: await countNew(deps, site.id, days),
    api: { today: today?.ApiAccess ?? 0, yesterday: yesterday?.ApiAccess ?? 0 },
    ratings: await readRatings(db, site.id),
    attention: await readAttention(deps, site),
    looseClients: (site.config.clients ?? []).flatMap(({ name, sources }) => (sources?.length ? [name] : [])),
    wechat: wechatApp(config.keys, site) !== undefined,
    config: (await readLastSave(db, site.id)) ?? { version: 0, time: 0, by: null },
  }
}
