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

/** Not below what has expired meanwhile. */
const down = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('DECR', KEYS[1]) end`

export interface Guess {
  /** How many times the site's bound the wrong codes of the hour are, this try taken for one; 0 within the bound. */
  over: number
  /** It was none. Nobody waits for it: the time of an answer must not tell what was compared. */
  giveBack(): void
}

/** Counts a try as a wrong code of the site before it is compared, so that many at once don't slip through. */
export async function countGuess({ redis, log }: Pick<Deps, 'redis' | 'log'>, site: Site): Promise<Guess> {
  const key = keyOf(site.id)
  const bound = codeLimits(site.config).wrongCodesHour
  const count = (await redis.eval(up, 1, key, hour)) as number
  const over = count > bound ? count / Math.max(1, bound) : 0

  async function warn() {
    const first = await redis.set(`${key}:told`, '1', 'EX', hour, 'NX')
    if (first === 'OK')
      log.warn({ site: site.id, bound }, 'codes are guessed: unknown browsers need a proof for each try')
  }

  if (over > 0) void warn().catch(() => {})
  return { over, giveBack: () => void redis.eval(down, 1, key).catch(() => {}) }
}

/** How near the sites are to the bound. Which one it is stands in the log. */
export function guessCollectors({ redis, sites }: Pick<Deps, 'redis' | 'sites'>): Collector[] {
  const part = async (site: Site) =>
    Number(await redis.get(keyOf(site.id))) / Math.max(1, codeLimits(site.config).wrongCodesHour)
  const look = atMostEvery(10_000, async () => Math.max(0, ...(await Promise.all(sites.all().map(part)))))
  return [
    {
      name: 'hufu_wrong_codes_ratio',
      help: 'Of the site with most wrong codes in the running hour, by its bound: the part of it.',
      read: async () => [{ value: await look() }],
    },
  ]
}
