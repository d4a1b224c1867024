import type { Config } from '../../platform/config/config.ts'
import type { SiteId } from '../../platform/ids.ts'

/** How long a brand counts as one that calls. */
const active = 1_000
/** What a brand may ask at once: its calls of so many milliseconds, … */
const burst = 150
/** … and of the time for which nobody read them: what came evenly in a pause of the process is read at once. */
const longestPause = 2_000

export interface FairnessClock {
  now(): number
  /** Since when calls may lie there unread. */
  unreadSince(): number
}

/**
 * What one brand may ask of a process while others ask too, so that a sale or an attack at one doesn't slow the rest down;
 * one that is alone may use everything. Answers whether a call is within it.
 */
export function createSiteFairness(
  { siteCalls }: Pick<Config, 'siteCalls'>,
  { now, unreadSince }: FairnessClock,
): (site: SiteId) => boolean {
  const each = 1_000 / siteCalls
  /** When all that a brand has asked would be done at its rate. */
  const doneAt = new Map<SiteId, number>()
  let latest: { site: SiteId | undefined; at: number } = { site: undefined, at: Number.NEGATIVE_INFINITY }
  /** When somebody else than the latest called last. */
  let other = Number.NEGATIVE_INFINITY

  return (site) => {
    const at = now()
    if (latest.site !== site) other = latest.at
    latest = { site, at }
    const came = Math.max(unreadSince(), at - longestPause)
    const done = Math.max(doneAt.get(site) ?? 0, came) + each
    if (done > at + burst && at - other <= active) return false
    doneAt.set(site, Math.min(done, at + burst))
    return true
  }
}
