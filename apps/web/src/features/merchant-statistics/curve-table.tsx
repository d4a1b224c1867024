import '../../ui/fields/field.css'
import type { Curve } from '@hufu/contract/statistics'
import { numberText } from '../../lib/figures.ts'
import { useStatisticsText } from './statistics.text.ts'

interface Props {
  caption: string
  now: string
  before: string
  curve: Curve
  spanOf: (time: number) => string
}

/** The same numbers for screen readers. A table ignores a set height, the box around it doesn't. */
export function CurveTable({ caption, now, before, curve, spanOf }: Props) {
  const text = useStatisticsText().statistics
  return (
    <div className="unseen">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{text.time}</th>
            <th scope="col">{now}</th>
            <th scope="col">{before}</th>
          </tr>
        </thead>
        <tbody>
          {curve.points.map((point) => (
            <tr key={point.time}>
              <th scope="row">{spanOf(point.time)}</th>
              <td>{numberText(point.value)}</td>
              <td>{numberText(point.before)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
