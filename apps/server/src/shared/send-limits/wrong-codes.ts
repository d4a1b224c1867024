import type { SiteId } from '../../platform/ids.ts'
import { atMostEvery, type Collector } from '../../platform/metrics/metrics.ts'
import type { Deps } from '../deps.ts'
import type { Site } from '../sites/sites.ts'
import { codeLimits } from './code-limits.ts'

const hour = 3_600

const keyOf = (siteId: SiteId) => `{wrong:${siteId}}`

const up = `local count = redis.call('INCR', KEYS[1])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count`

/** Not below zero where the counter has expired meanwhile. */
const down = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('DECR', KEYS[1]) end`

export interface Guess {
  /** The ratio of the hour's wrong codes to the site's limit, this try included; 0 within the limit. */
  over: number
  /** It was right after all. Not awaited: the time of an answer must not reveal what was compared. */
  giveBack(): void
}

/** Counts a try as a wrong code of the site before it is compared, so that parallel tries don't slip through. */
export async function countGuess({ redis, log }: Pick<Deps, 'redis' | 'log'>, site: Site): Promise<Guess> {
  const key = keyOf(site.id)
  const bound = codeLimits(site.config).wrongCodesHour
  const count = (await redis.eval(up, 1, key, hour)) as number
  const over = count > bound ? count / Math.max(1, bound) : 0

  async function warn() {
    const first = await redis.set(`${key}:warned`, '1', 'EX', hour, 'NX')
    if (first === 'OK')
      log.warn({ site: site.id, bound }, 'codes are guessed: unknown browsers need proof of work for each try')
  }

  if (over > 0) void warn().catch(() => {})
  return { over, giveBack: () => void redis.eval(down, 1, key).catch(() => {}) }
}

/** How near the sites are to the limit. The log names the site. */
export function guessCollectors({ redis, sites }: Pick<Deps, 'redis' | 'sites'>): Collector[] {
  const part = async (site: Site) =>
    Number(await redis.get(keyOf(site.id))) / Math.max(1, codeLimits(site.config).wrongCodesHour)
  const look = atMostEvery(10_000, async () => Math.max(0, ...(await Promise.all(sites.all().map(part)))))
  return [
    {
      name: 'hufu_wrong_codes_ratio',
      help: 'Wrong codes of the hour as a part of the limit, of the site with the highest.',
      read: async () => [{ value: await look() }],
    },
  ]
}
