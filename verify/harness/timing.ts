import { random } from './walks.ts'

const pick = random(1)

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: number[]): number => percentile(values, 0.5)

/** Two kinds in random order, so that neither profits from being first. */
export const inAnyOrder = <Kind>(one: Kind, other: Kind): Kind[] => (pick(2) === 0 ? [one, other] : [other, one])

/** Two times that were taken one right after the other. */
export interface Pair {
  one: number
  other: number
}

export interface SignTest {
  /** Standard deviations by which one of the kinds is the slower of its pair more often than by chance. */
  deviations: number
  /** The median of the differences, in milliseconds. */
  gap: number
  summary: string
}

/** Deviations that chance alone reaches once in two thousand measurements. */
export const byChance = 3.5

/**
 * Pairs are disturbed alike by whatever else the machine does, so that a sign test needs neither a quiet run nor a tolerance
 * that grows with the noise.
 */
export function signTest(pairs: readonly Pair[]): SignTest {
  const differences = pairs.map(({ one, other }) => one - other)
  const unequal = differences.filter((difference) => difference !== 0).length
  const slower = differences.filter((difference) => difference > 0).length
  const deviations = Math.abs(2 * slower - unequal) / Math.sqrt(Math.max(1, unequal))
  const gap = Math.abs(median(differences))
  const summary = `${slower} of ${unequal} pairs slower, ${deviations.toFixed(2)} deviations, median difference ${Math.round(gap * 1_000)} µs`
  return { deviations, gap, summary }
}
