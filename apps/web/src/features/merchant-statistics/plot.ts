import type { Curve } from '@hufu/contract/statistics'
import { hourInChina } from '../../lib/time/china-time.ts'

const roundSteps = [1, 2, 3, 4, 5, 6, 8, 10]
const steps = 3

/** Four round numbers from 0 up to at least the most that is drawn. Users and calls are whole, so are these. */
export function ticksOf(most: number): number[] {
  const wanted = Math.max(1, most / steps)
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = (roundSteps.find((round) => round * power >= wanted) ?? 10) * power
  return Array.from({ length: steps + 1 }, (_, at) => at * step)
}

export interface Point {
  x: number
  y: number
}

/** Where values stand in a square of 100, oldest left, the top tick at the top. */
function pointsOf(values: number[], top: number): Point[] {
  const last = Math.max(1, values.length - 1)
  return values.map((value, at) => ({ x: (at / last) * 100, y: 100 - (value / top) * 100 }))
}

/** Ticks for both lines, and where they run. */
export function layOut({ points }: Curve) {
  const now = points.map(({ value }) => value)
  const before = points.map((point) => point.before)
  const ticks = ticksOf(Math.max(...now, ...before))
  const top = ticks.at(-1) ?? 1
  return { ticks, now: pointsOf(now, top), before: pointsOf(before, top) }
}
export type Layout = ReturnType<typeof layOut>

/**
 * How steep the line is in each point: the harmonic mean of both sides, level at every peak and valley. So it never
 * leaves the span between two neighbouring values: no dip below zero, no bulge over a peak.
 */
function slopes(points: Point[]): number[] {
  const sides = points.slice(1).map(({ x, y }, at) => (y - (points[at]?.y ?? y)) / (x - (points[at]?.x ?? 0)))
  return points.map((_, at) => {
    const before = sides[at - 1] ?? sides[at] ?? 0
    const after = sides[at] ?? before
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after)
  })
}

const short = (number: number) => Number(number.toFixed(2))

/** A smooth line through all points, as the path of an SVG. */
export function lineThrough(points: Point[]): string {
  const steep = slopes(points)
  return points
    .map(({ x, y }, at) => {
      const from = points[at - 1]
      if (!from) return `M${short(x)} ${short(y)}`
      const third = (x - from.x) / 3
      const leaves = from.y + (steep[at - 1] ?? 0) * third
      const arrives = y - (steep[at] ?? 0) * third
      return `C${[from.x + third, leaves, x - third, arrives, x, y].map(short).join(' ')}`
    })
    .join('')
}

/** The same, closed along the ground. */
export const areaUnder = (points: Point[]) =>
  points.length === 0 ? '' : `${lineThrough(points)}L${points.at(-1)?.x ?? 0} 100L${points[0]?.x ?? 0} 100Z`

/** Which points are named along the axis; a narrow screen has room for the major ones alone. */
export function namedPoints({ step, points }: Curve): { at: number; major: boolean }[] {
  const last = points.length - 1
  const every = points.length > 8 ? 5 : 1
  return points.flatMap(({ time }, at) => {
    if (step === 'day') return (last - at) % every === 0 ? [{ at, major: (last - at) % (2 * every) === 0 }] : []
    return hourInChina(time) % 3 === 0 ? [{ at, major: hourInChina(time) % 6 === 0 }] : []
  })
}
