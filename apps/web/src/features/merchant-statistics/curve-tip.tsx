import type { Curve } from '@hufu/contract/statistics'
import { numberText } from '../../lib/figures.ts'
import { Change } from './change.tsx'
import type { Point } from './plot.ts'
import { useStatisticsText } from './statistics.text.ts'

interface Props {
  /** Hour or day, in words. */
  span: string
  figure: string
  before: string
  point: Curve['points'][number]
  at: Point
}

/**
 * The tooltip of a point. Shifted to the left by the share of its width at which the point lies to the right, it never
 * leaves the drawing; it keeps to the half of the height where the point isn't.
 */
export function CurveTip({ span, figure, before, point, at }: Props) {
  const text = useStatisticsText().statistics
  return (
    <div aria-hidden="true">
      <span className="cross" style={{ left: `${at.x}%` }} />
      <span className="pin" style={{ left: `${at.x}%`, top: `${at.y}%` }} />
      <div className={at.y < 50 ? 'tip low' : 'tip'} style={{ left: `${at.x}%`, transform: `translateX(-${at.x}%)` }}>
        <p>{span}</p>
        <p>
          {figure}
          <b>{numberText(point.value)}</b>
        </p>
        <p>
          {before}
          <span>{numberText(point.before)}</span>
        </p>
        <p>
          {text.change}
          <Change now={point.value} before={point.before} />
        </p>
      </div>
    </div>
  )
}
