import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'

const sharedMs = 2_000

/** Many operators look at the same figures: one result is cached for a moment. */
export function shareForAMoment<Answer>(
  deps: Pick<Deps, 'clock'>,
  read: (site: Site) => Promise<Answer>,
): (site: Site) => Promise<Answer> {
  const shared = new Map<SiteId, { at: number; answer: Promise<Answer> }>()
  return (site) => {
    const now = deps.clock.now()
    const last = shared.get(site.id)
    if (last && now >= last.at && now < last.at + sharedMs) return last.answer
    const answer = read(site)
    shared.set(site.id, { at: now, answer })
    // The next call tries again.
    answer.catch(() => shared.delete(site.id))
    return answer
  }
}
