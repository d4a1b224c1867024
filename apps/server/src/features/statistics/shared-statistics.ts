import type { Deps } from '../../core/deps.ts'
import type { SiteId } from '../../core/ids.ts'
import type { Site } from '../../core/sites.ts'

const sharedMs = 2_000

/** Many operators look at the same figures: whoever asks within a moment is told the same. */
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
    // The next one tries again.
    answer.catch(() => shared.delete(site.id))
    return answer
  }
}
