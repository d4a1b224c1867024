import { median } from '../harness/timing.ts'

export interface Point {
  at: number
  value: number
}

/** The middle of the slopes between all pairs of points (Theil and Sen): a few odd ones don't move it. */
export function slope(points: Point[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  )
  return median(slopes)
}
