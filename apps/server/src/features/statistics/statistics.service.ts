import type { Curve, Statistics } from '@hufu/contract/statistics'
import { type FigureName, figures, hoursOf, type Window, windows } from '@hufu/contract/statistics-rules'
import type { SiteId } from '../../platform/ids.ts'
import { chinaDay, chinaMidnight } from '../../shared/china-day.ts'
import type { Deps } from '../../shared/deps.ts'
import { codeLimits } from '../../shared/send-limits/code-limits.ts'
import { readBooked } from '../../shared/send-limits/send-counters.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { countSince, countUsers } from '../users/user-counts.ts'
import { type Span, type Sums, sumFigure, sumSpans } from './statistics.store.ts'

type Needs = Pick<Deps, 'db' | 'pool' | 'redis' | 'clock' | 'log'>

const hour = 3_600_000
/** When the present hour is over. */
const hourEnd = (time: number) => time - (time % hour) + hour

/** The present hour and those before it, and as many before these. */
export function spansOf(window: Window, now: number): { present: Span; before: Span } {
  const length = hoursOf[window] * hour
  const to = hourEnd(now)
  return { present: { from: to - length, to }, before: { from: to - 2 * length, to: to - length } }
}

type PerWindow<Value> = Record<Window, Value>

/** From values in the order of the windows. */
const perWindow = <Value>(values: Value[]): PerWindow<Value> =>
  Object.fromEntries(windows.map((window, position) => [window, values[position]])) as PerWindow<Value>

/** dailyAuthorizedUsers and the fourteen others. */
function fifteen(sums: PerWindow<Sums>): Statistics['before'] {
  const named = windows.flatMap((window) => figures.map((figure) => [`${window}${figure}`, sums[window][figure]]))
  return Object.fromEntries(named) as Statistics['before']
}

/** How much a site was used, all of it at one moment. */
export async function readStatistics(deps: Needs, site: Site): Promise<Statistics> {
  const now = deps.clock.now()
  const spans = windows.map((window) => spansOf(window, now))
  const [sums, userCount, since, sent] = await Promise.all([
    sumSpans(deps.db, site.id, [...spans.map(({ present }) => present), ...spans.map(({ before }) => before)]),
    countUsers(deps, site.id),
    Promise.all(windows.map((window) => countSince(deps, site.id, now - hoursOf[window] * hour))),
    readBooked(deps, site.id),
  ])
  const present = perWindow(sums.slice(0, windows.length))
  return {
    userCount,
    ...fifteen(present),
    before: fifteen(perWindow(sums.slice(windows.length))),
    newUsers: perWindow(since),
    funnel: present,
    sms: { sent, budget: codeLimits(site.config).siteDay },
    time: now,
  }
}

/** The hours of a day, or days of China up to today, twice as many as are shown. */
function stepsOf(window: Window, now: number): Span[] {
  const shown = window === 'daily' ? 24 : hoursOf[window] / 24
  const backwards = Array.from({ length: 2 * shown }, (_, position) => 2 * shown - 1 - position)
  if (window === 'daily')
    return backwards.map((ago) => ({ from: hourEnd(now) - (ago + 1) * hour, to: hourEnd(now) - ago * hour }))
  const today = chinaDay(now)
  return backwards.map((ago) => ({ from: chinaMidnight(today - ago), to: chinaMidnight(today - ago + 1) }))
}

/** One figure step by step, and beside each step the same place in the window before. */
export async function readCurve(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  siteId: SiteId,
  window: Window,
  figure: FigureName,
): Promise<Curve> {
  const steps = stepsOf(window, clock.now())
  const values = await sumFigure(db, siteId, steps, figure)
  const shown = steps.length / 2
  const points = steps
    .slice(shown)
    .map(({ from }, position) => ({ time: from, value: values[shown + position] ?? 0, before: values[position] ?? 0 }))
  return { step: window === 'daily' ? 'hour' : 'day', points }
}
