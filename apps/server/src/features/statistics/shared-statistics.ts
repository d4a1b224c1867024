import type { Statistics } from '@hufu/contract/statistics'
import type { SiteId } from '../../core/ids.ts'
import type { Site } from '../../core/sites.ts'
import { readStatistics } from './statistics.service.ts'

const sharedMs = 2_000

/** Many operators look at the same figures: whoever asks within a moment is told the same. */
export function shareStatistics(deps: Parameters<typeof readStatistics>[0]): (site: Site) => Promise<Statistics> {
  const shared = new Map<SiteId, { at: number; statistics: Promise<Statistics> }>()
  return (site) => {
    const now = deps.clock.now()
    const last = shared.get(site.id)
    if (last && now >= last.at && now < last.at + sharedMs) return last.statistics
    const statistics = readStatistics(deps, site)
    shared.set(site.id, { at: now, statistics })
    // The next one tries again.
    statistics.catch(() => shared.delete(site.id))
    return statistics
  }
}
