import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../deps.ts'
import { type Asker, type CodeLimits, nearlySpent, openTo } from './code-limits.ts'
import { returnSends, takeSend } from './send-budgets.store.ts'

/** Increments unless that would exceed the limit; answers the count, or minus the seconds to wait. */
const script = `local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count >= tonumber(ARGV[2]) then return -math.max(redis.call('TTL', KEYS[1]), 1) end
redis.call('INCR', KEYS[1])
if count == 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count + 1`

async function countUp({ redis }: Pick<Deps, 'redis'>, key: string, seconds: number, bound: number): Promise<number> {
  return (await redis.eval(script, 1, key, seconds, bound)) as number
}

const hour = 3_600
const day = 86_400

/** How many sends an address has requested within the hour, including this one; negative when it must wait. */
export const countAddress = (
  deps: Pick<Deps, 'redis'>,
  siteId: SiteId,
  bucket: string,
  limits: CodeLimits,
): Promise<number> => countUp(deps, `{code:${siteId}:a:${bucket}}`, hour, limits.addressHour)

/** How often a number gets the same notice within a day. */
const mostNotices = 3

/** Counts a notice by subject and receiver; negative when the limit is reached. */
export const countNotice = (deps: Pick<Deps, 'redis'>, siteId: SiteId, about: string): Promise<number> =>
  countUp(deps, `{notice:${siteId}:${about}}`, day, mostNotices)

const siteKey = (siteId: SiteId) => `{code:${siteId}:s}`
const prefixKey = (siteId: SiteId, prefix: string) => `{code:${siteId}:p:${prefix}}`

/** Mailed codes have a quota like that of a dial prefix, and don't count as the site's SMS. */
export const mailPrefix = 'mail'

/** How many SMS of the day are booked on the site's quota; null while Redis is unreachable. */
export async function readBooked({ redis }: Pick<Deps, 'redis'>, siteId: SiteId): Promise<number | null> {
  return await redis.get(siteKey(siteId)).then(Number, () => null)
}

/** Of these dial prefixes the one with the most SMS of the day; undefined while Redis is unreachable. */
export async function readBusiestPrefix(
  { redis }: Pick<Deps, 'redis'>,
  siteId: SiteId,
  prefixes: readonly string[],
): Promise<{ prefix: string; sent: number } | undefined> {
  const read = async (prefix: string) => ({ prefix, sent: Number(await redis.get(prefixKey(siteId, prefix))) })
  const booked = await Promise.all([...new Set(prefixes)].map(read)).catch(() => [])
  return booked.toSorted((one, other) => other.sent - one.sent)[0]
}

export interface Budget {
  /** Seconds to wait, where the quota is used up. */
  retryAfter?: number
  /** Reverts the count, for a send that didn't happen. */
  giveBack(): Promise<void>
}

interface DayBudget {
  name: string
  key: string
  whole: number
}

function budgetsOf(siteId: SiteId, prefix: string, { prefixDay, siteDay }: CodeLimits): DayBudget[] {
  const own = { name: 'prefix', key: prefixKey(siteId, prefix), whole: prefixDay }
  return prefix === mailPrefix ? [own] : [own, { name: 'site', key: siteKey(siteId), whole: siteDay }]
}

/**
 * Refused by Redis, which is quick, or else by PostgreSQL, which has the last word: a counter in Redis can be deleted.
 */
async function countBudget(
  deps: Pick<Deps, 'db' | 'redis'>,
  siteId: SiteId,
  key: string,
  bound: number,
): Promise<number> {
  const count = await countUp(deps, key, day, bound)
  if (count < 0) return count
  const wait = await takeSend(deps.db, siteId, key, bound)
  if (wait === 0) return count
  await deps.redis.decr(key)
  return -wait
}

export interface BudgetUse {
  /** Used part of the strangers' quota, in the fullest of the quotas. */
  tenths: number
  /** Whether anything is left for this asker. */
  left: boolean
}

/** How far the quotas of such a send are used. */
export async function readUse(
  { redis }: Pick<Deps, 'redis'>,
  siteId: SiteId,
  { prefix, asker }: { prefix: string; asker: Asker },
  limits: CodeLimits,
): Promise<BudgetUse> {
  const read = async ({ key, whole }: DayBudget) => ({ whole, used: Number(await redis.get(key)) })
  const budgets = await Promise.all(budgetsOf(siteId, prefix, limits).map(read))
  const tenths = budgets.map(({ used, whole }) => Math.floor((10 * used) / Math.max(1, openTo('stranger', whole))))
  return { tenths: Math.max(...tenths), left: budgets.every(({ used, whole }) => used < openTo(asker, whole)) }
}

/** Books one send on the day's quotas of the dial prefix and of the site, each up to what this asker may use. */
export async function bookSend(
  deps: Pick<Deps, 'db' | 'redis' | 'log'>,
  siteId: SiteId,
  { prefix, asker }: { prefix: string; asker: Asker },
  limits: CodeLimits,
): Promise<Budget> {
  const booked: string[] = []
  async function giveBack() {
    const counted = booked.map((key) => deps.redis.decr(key))
    await Promise.allSettled([...counted, returnSends(deps.db, siteId, booked)])
  }
  for (const { name, key, whole } of budgetsOf(siteId, prefix, limits)) {
    const count = await countBudget(deps, siteId, key, openTo(asker, whole))
    if (count < 0 || count === Math.ceil(openTo('stranger', whole) * nearlySpent)) {
      const spent = count < 0 ? `all that is open to: ${asker}` : `${count} of ${whole}`
      deps.log.warn({ site: siteId, budget: name, prefix, spent }, 'the budget for codes runs out')
    }
    if (count < 0) {
      await giveBack()
      return { retryAfter: -count, giveBack: async () => {} }
    }
    booked.push(key)
  }
  return { giveBack }
}
