import type { MerchantHome } from '@hufu/contract/statistics'
import { chinaDay, chinaMidnight } from '../../core/china-day.ts'
import type { Deps } from '../../core/deps.ts'
import { wechatApp } from '../../core/site-wechat.ts'
import type { Site } from '../../core/sites.ts'
import { countUsers } from '../users/user-list.service.ts'
import { readLastSave, readWaiting } from './home.store.ts'
import { sumSpans } from './statistics.store.ts'

/** What waits for an operator, and how the day goes. */
export async function readHome(
  deps: Pick<Deps, 'db' | 'pool' | 'clock' | 'log' | 'config'>,
  site: Site,
): Promise<MerchantHome> {
  const { db, clock, config } = deps
  const today = chinaDay(clock.now())
  const day = { from: chinaMidnight(today), to: chinaMidnight(today + 1) }
  const [waiting, userCount, [usage], save] = await Promise.all([
    readWaiting(db, site.id),
    countUsers(deps, site.id),
    sumSpans(db, site.id, [day]),
    readLastSave(db, site.id),
  ])
  return {
    ...waiting,
    userCount,
    accessedToday: usage?.AccessedUsers ?? 0,
    apiToday: usage?.ApiAccess ?? 0,
    wechat: wechatApp(config.keys, site) !== undefined,
    config: save ?? { version: 0, time: 0, by: null },
  }
}
