import type { Curve } from '@hufu/contract/statistics'
import { describe, expect, test } from 'vitest'
import { areaUnder, layOut, lineThrough, namedPoints, type Point, ticksOf } from './plot.ts'

const hour = 3_600_000
const midnight = Date.parse('2026-11-13T16:00:00Z')

const curveOf = (values: number[], step: Curve['step'] = 'hour'): Curve => ({
  step,
  points: values.map((value, at) => ({ time: midnight + at * (step === 'hour' ? 1 : 24) * hour, value, before: 0 })),
})

/** Every height that a path passes through, read from its own commands. */
function heights(path: string, steps = 40): number[] {
  const [start = '', ...curves] = path.split('C')
  let y0 = Number(start.split(' ')[1])
  return curves.flatMap((curve) => {
    const [, y1 = 0, , y2 = 0, , y3 = 0] = curve.split(' ').map(Number)
    const from = y0
    y0 = y3
    return Array.from({ length: steps + 1 }, (_, at) => {
      const t = at / steps
      return (1 - t) ** 3 * from + 3 * (1 - t) ** 2 * t * y1 + 3 * (1 - t) * t ** 2 * y2 + t ** 3 * y3
    })
  })
}

/** The same row of numbers every time, without a pattern. */
function someValues(count: number, seed: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % 5 === 0 ? 0 : state % 1000
  })
}

describe('ticks', () => {
  test.each([
    [0, [0, 1, 2, 3]],
    [1, [0, 1, 2, 3]],
    [5, [0, 2, 4, 6]],
    [827, [0, 300, 600, 900]],
    [900, [0, 300, 600, 900]],
    [901, [0, 400, 800, 1200]],
    [26_340, [0, 10_000, 20_000, 30_000]],
    [-Infinity, [0, 1, 2, 3]],
  ])('up to %d: %j', (most, ticks) => {
    expect(ticksOf(most)).toEqual(ticks)
  })
  test('hold whatever comes, whole and without much air', () => {
    for (let most = 1; most < 3e7; most = Math.ceil(most * 1.31)) {
      const ticks = ticksOf(most)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
      expect(ticks.every(Number.isInteger)).toBe(true)
      if (most > 3) expect(most / (ticks.at(-1) ?? 0)).toBeGreaterThan(0.5)
    }
  })
})

describe('curve', () => {
  test('goes through every point', () => {
    const { now } = layOut(curveOf([3, 9, 0, 6]))
    const ends = lineThrough(now)
      .slice(1)
      .split('C')
      .map((part) => Number(part.split(' ').at(-1)))
    expect(ends).toEqual(now.map(({ y }: Point) => Number(y.toFixed(2))))
  })
  test.each([1, 2, 3, 4, 5])('between two neighbours it never leaves the span between them, row %i', (seed) => {
    const { now } = layOut(curveOf([0, 0, ...someValues(22, seed)]))
    const passed = heights(lineThrough(now))
    now.slice(1).forEach(({ y }, at) => {
      const span = [now[at]?.y ?? 0, y]
      for (const height of passed.slice(at * 41, (at + 1) * 41)) {
        expect(height).toBeGreaterThanOrEqual(Math.min(...span) - 0.011)
        expect(height).toBeLessThanOrEqual(Math.max(...span) + 0.011)
      }
    })
  })
  test('both lines share the ticks', () => {
    const { points } = curveOf([1, 2])
    const { ticks, before } = layOut({ step: 'hour', points: points.map((point) => ({ ...point, before: 30 })) })
    expect([ticks.at(-1), before.map(({ y }) => y)]).toEqual([30, [0, 0]])
  })
  test('one point or none draws no nonsense', () => {
    expect(lineThrough(layOut(curveOf([3])).now)).toBe('M0 0')
    expect([lineThrough(layOut(curveOf([])).now), areaUnder([])]).toEqual(['', ''])
  })
  test('the area is closed along the ground', () => {
    expect(areaUnder(layOut(curveOf([3, 3])).now)).toBe('M0 0C33.33 0 66.67 0 100 0L100 100L0 100Z')
  })
})

describe('names along the axis', () => {
  const at = (curve: Curve) => namedPoints(curve).map((named) => named.at)
  const major = (curve: Curve) => namedPoints(curve).flatMap((named) => (named.major ? [named.at] : []))
  test('every third hour of China, every sixth where it is narrow', () => {
    const day = curveOf(Array(24).fill(1))
    expect([at(day), major(day)]).toEqual([
      [0, 3, 6, 9, 12, 15, 18, 21],
      [0, 6, 12, 18],
    ])
  })
  test('every day of a week, every second where it is narrow, the last always', () => {
    const week = curveOf(Array(8).fill(1), 'day')
    expect([at(week), major(week)]).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [1, 3, 5, 7],
    ])
  })
  test('every fifth day of a month, every tenth where it is narrow, the last always', () => {
    const month = curveOf(Array(30).fill(1), 'day')
    expect([at(month), major(month)]).toEqual([
      [4, 9, 14, 19, 24, 29],
      [9, 19, 29],
    ])
  })
})
