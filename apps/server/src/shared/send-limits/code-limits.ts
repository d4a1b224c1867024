import type { SiteConfig } from '@hufu/contract/site'

export interface CodeLimits {
  receiverHour: number
  receiverDay: number
  addressProof: number
  addressHour: number
  prefixDay: number
  siteDay: number
  wrongCodesHour: number
}

const usual: CodeLimits = {
  receiverHour: 5,
  receiverDay: 10,
  addressProof: 20,
  addressHour: 500,
  prefixDay: 2_000,
  siteDay: 10_000,
  wrongCodesHour: 1_000,
}

/** No site may raise a limit above what the platform allows. */
const most: CodeLimits = {
  receiverHour: 1_000,
  receiverDay: 10_000,
  addressProof: 1_000_000,
  addressHour: 1_000_000,
  prefixDay: 10_000_000,
  siteDay: 10_000_000,
  wrongCodesHour: 5_000,
}

export function codeLimits(config: SiteConfig): CodeLimits {
  const own = config.limits ?? {}
  const names = Object.keys(usual) as (keyof CodeLimits)[]
  return Object.fromEntries(
    names.map((name) => [name, Math.min(own[name] ?? usual[name], most[name])]),
  ) as unknown as CodeLimits
}

/**
 * How many wrong passwords an account takes before proof of work is demanded, twice that before a pause; no site can
 * turn it off.
 */
export const passwordFailures = ({ limits }: SiteConfig): number => Math.min(limits?.passwordFailures ?? 10, 100)

/**
 * Who requests a code. `own`: a session of the account that the receiver belongs to, or a browser known to it.
 * `proved`: a session or ticket that acts for an account, for a receiver that isn't its own yet. Everyone else is a
 * stranger.
 */
export type Asker = 'stranger' | 'proved' | 'own'

/**
 * Percent of a day's quota. Accounts are free: what they may request for new receivers must leave something for `own`.
 */
const shares: Record<Asker, number> = { stranger: 70, proved: 85, own: 100 }

/** How many sends of a day's quota may have happened before such an asker is refused. */
export const openTo = (asker: Asker, budget: number): number => Math.floor((budget * shares[asker]) / 100)

/** Percent of a receiver's hour and day. */
const strangersShare = 60

/** How many of a receiver's sends may go to all who aren't `own`. */
export const strangersOf = (most: number): number => Math.max(1, Math.ceil((most * strangersShare) / 100))

/** From this part of the strangers' quota on, operators are warned. */
export const nearlySpent = 0.8
