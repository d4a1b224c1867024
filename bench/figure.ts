/** One measured figure beside the limit it must hold. */
export interface Figure {
  name: string
  value: number
  /** At least for `>=`, at most for `<=`. */
  limit: ['>=' | '<=', number]
  unit?: string
  /** What it was computed from. */
  from?: string
}

export const holds = ({ value, limit: [direction, bound] }: Figure) =>
  direction === '>=' ? value >= bound : value <= bound

export function median(values: number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
  if (middle === undefined) throw new Error('nothing was measured')
  return middle
}
