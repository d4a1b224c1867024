import type { Loaded, Plan } from './plan.ts'
import { runLoad } from './run-load.ts'

interface Search {
  /** Where to begin, in calls a second. */
  from: number
  /** Length of each step. */
  seconds: number
  /** The factor of the offered load from one step to the next. */
  growth: number
  /** The share of the offered calls that must succeed; with less the server is saturated. */
  kept?: number
}

export interface Capacity {
  /** The most that was answered well within a second, in calls a second. */
  perSecond: number
  /** The most that was offered and answered well, all but what `kept` leaves open. */
  held: number
  steps: { rate: number; goodput: number }[]
}

/** The share of responses that must be in time; 100 % would depend on luck. */
const mostly = 0.97

/** Offers more and more until less than must be is answered well in two steps in a row; the most that ever was is the capacity. */
export async function measureCapacity(plan: Omit<Plan, 'rate' | 'seconds'>, search: Search): Promise<Capacity> {
  const steps: Capacity['steps'] = []
  const { kept = mostly } = search
  let full = 0
  let held = 0
  for (let rate = search.from; full < 2 && steps.length < 24; rate *= search.growth) {
    const { goodput }: Loaded = await runLoad({ ...plan, rate, seconds: search.seconds })
    steps.push({ rate, goodput })
    const well = goodput >= kept * rate
    full = well ? 0 : full + 1
    if (well) held = rate
  }
  return { perSecond: Math.max(...steps.map(({ goodput }) => goodput)), held, steps }
}
