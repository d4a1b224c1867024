import { atMostEvery, type Collector } from '../../platform/metrics/metrics.ts'
import type { Deps } from '../deps.ts'
import type { Site } from '../sites/sites.ts'
import { codeLimits } from './code-limits.ts'
import { readBooked } from './send-counters.ts'

type Needs = Pick<Deps, 'redis' | 'sites'>

/** Of one site: SMS of the day, and the used part of its quota. */
async function spentBy(deps: Needs, site: Site): Promise<{ texts: number; part: number }> {
  const texts = (await readBooked(deps, site.id)) ?? 0
  return { texts, part: texts / Math.max(1, codeLimits(site.config).siteDay) }
}

/** How the day's SMS stand. The site is named in the log and on its own home page. */
export function spendCollectors(deps: Needs): Collector[] {
  const look = atMostEvery(10_000, async () => {
    const texting = deps.sites.all().filter(({ config }) => (config.sms?.gateways ?? []).length > 0)
    const spent = await Promise.all(texting.map((site) => spentBy(deps, site)))
    return {
      texts: spent.reduce((sum, { texts }) => sum + texts, 0),
      part: Math.max(0, ...spent.map(({ part }) => part)),
    }
  })
  return [
    {
      name: 'hufu_sms_booked',
      help: 'SMS booked on the quotas of the day, of all sites.',
      read: async () => [{ value: (await look()).texts }],
    },
    {
      name: 'hufu_sms_budget_used_ratio',
      help: 'The used part of the quota, of the site with the highest.',
      read: async () => [{ value: (await look()).part }],
    },
  ]
}
