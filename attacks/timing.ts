import { few } from './harness.ts'
import { random } from './walks.ts'

const pick = random(1)

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: number[]): number => percentile(values, 0.5)

/** Two kinds, in an order that changes by chance, so that neither profits from being first. */
export const inAnyOrder = <Kind>(one: Kind, other: Kind): Kind[] => (pick(2) === 0 ? [one, other] : [other, one])

function shuffled(values: number[]): number[] {
  const mixed = [...values]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = pick(last + 1)
    ;[mixed[last], mixed[other]] = [mixed[other] as number, mixed[last] as number]
  }
  return mixed
}

/** How far the medians of two halves of one kind lie apart; of many ways to halve it, nearly the widest. */
function halvesGap(values: number[]): number {
  const gaps = Array.from({ length: 200 }, () => {
    const mixed = shuffled(values)
    const middle = mixed.length >> 1
    return Math.abs(median(mixed.slice(0, middle)) - median(mixed.slice(middle)))
  })
  return percentile(gaps, 0.95)
}

export interface Comparison {
  gap: number
  /** The gap of two halves of the same kind. */
  noise: number
  /** The first in terms of the second. */
  ratio: number
  told: string
}

export function compare(a: number[], b: number[]): Comparison {
  const gap = Math.abs(median(a) - median(b))
  const noise = Math.max(halvesGap(a), halvesGap(b))
  const us = (ms: number) => `${Math.round(ms * 1000)} µs`
  return {
    gap,
    noise,
    ratio: gap / noise,
    told: `medians ${us(median(a))} and ${us(median(b))}, gap ${us(gap)}, halves ${us(noise)}`,
  }
}

/** Neighbours on the machine disturb times: what tells nothing in one of three runs tells nothing. The short form has one. */
export async function quietest(
  limit: number,
  measure: () => Promise<Comparison>,
  runs = few(3, 1),
): Promise<Comparison> {
  const first = await measure()
  if (first.ratio <= limit || runs <= 1) return first
  const next = await quietest(limit, measure, runs - 1)
  return next.ratio < first.ratio ? next : first
}
