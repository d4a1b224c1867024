import type { Config } from '../../platform/config/config.ts'
import type { SiteId } from '../../platform/ids.ts'

/** How long a site counts as active after a call, in milliseconds. */
const active = 1_000
/** The burst that a site may send at once: its calls of so many milliseconds, … */
const burst = 150
/** … and of the time in which the process didn't read: what arrived evenly during a pause is read at once. */
const longestPause = 2_000

export interface FairnessClock {
  now(): number
  /** Since when calls may be waiting unread. */
  unreadSince(): number
}

/**
 * The share of a process that one site may use while others call too, so that a sale or an attack at one doesn't slow
 * the rest down. A site that is alone may use everything. Answers whether a call is within the share.
 */
export function createSiteFairness(
  { siteCalls }: Pick<Config, 'siteCalls'>,
  { now, unreadSince }: FairnessClock,
): (site: SiteId) => boolean {
  const each = 1_000 / siteCalls
  /** When all calls of a site so far would be done at its rate. */
  const doneAt = new Map<SiteId, number>()
  let latest: { site: SiteId | undefined; at: number } = { site: undefined, at: Number.NEGATIVE_INFINITY }
  /** When a site other than the latest called last. */
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
