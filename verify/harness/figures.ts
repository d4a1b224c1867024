/** One measured figure beside the limit it must hold. */
export interface Figure {
  name: string
  value: number
  /** At least for `>=`, at most for `<=`, exactly for `=`. */
  limit: ['>=' | '<=' | '=', number]
  unit?: string
  /** What it was computed from. */
  from?: string
}

/** The id of the attack or fault that a test is named by. */
export const idOf = (title: string): string => /\b[AF]\d{2}\b/.exec(title)?.[0] ?? ''

export function holds({ value, limit: [direction, bound] }: Figure): boolean {
  if (direction === '=') return value === bound
  return direction === '>=' ? value >= bound : value <= bound
}

/** As a table or a line shows it: at most three digits after the point. */
export const shown = ({ value, unit = '' }: Pick<Figure, 'value' | 'unit'>): string =>
  `${Number(value.toFixed(3))}${unit && ` ${unit.trim()}`}`

export function median(values: number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
  if (middle === undefined) throw new Error('nothing was measured')
  return middle
}
