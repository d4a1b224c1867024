import type { SiteConfig } from '@hufu/contract/site'

export interface CodeLimits {
  receiverHour: number
  receiverDay: number
  addressProof: number
  addressHour: number
  prefixDay: number
  siteDay: number
}

const usual: CodeLimits = {
  receiverHour: 5,
  receiverDay: 10,
  addressProof: 20,
  addressHour: 500,
  prefixDay: 2_000,
  siteDay: 10_000,
}

/** No site may raise a limit above what the platform bears. */
const most: CodeLimits = {
  receiverHour: 1_000,
  receiverDay: 10_000,
  addressProof: 1_000_000,
  addressHour: 1_000_000,
  prefixDay: 10_000_000,
  siteDay: 10_000_000,
}

export function codeLimits(config: SiteConfig): CodeLimits {
  const own = config.limits ?? {}
  const names = Object.keys(usual) as (keyof CodeLimits)[]
  return Object.fromEntries(
    names.map((name) => [name, Math.min(own[name] ?? usual[name], most[name])]),
  ) as unknown as CodeLimits
}

/** How many wrong passwords an account takes before a proof is asked, twice that before a pause; no site may do without. */
export const passwordFailures = ({ limits }: SiteConfig): number => Math.min(limits?.passwordFailures ?? 10, 100)

/** Of a day's budget, this part is kept for numbers that were seen within 90 days. */
const keptForKnown = 0.3

/** How many texts of a day anybody may get; the rest is kept. */
export const openToAll = ({ siteDay }: CodeLimits): number => Math.floor(siteDay * (1 - keptForKnown))

/** From this part of a prefix's day on somebody should know. */
export const nearlySpent = 0.8
