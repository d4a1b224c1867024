import './curve.css'
import type { Curve } from '@hufu/contract/statistics'
import type { FigureName, Window } from '@hufu/contract/statistics-rules'
import { numberText, tickText } from '../../lib/figures.ts'
import { CurveTable } from './curve-table.tsx'
import { momentName, spanName } from './curve-time.ts'
import { CurveTip } from './curve-tip.tsx'
import { areaUnder, type Layout, layOut, lineThrough, namedPoints } from './plot.ts'
import { useStatisticsText } from './statistics.text.ts'
import { usePicked } from './use-picked.ts'

interface Props {
  curve: Curve
  /** The shown curve is the former one while the requested one loads. */
  old: boolean
  figure: FigureName
  window: Window
}

/** The drawing is a stretched square of 100; all words and marks are laid over it, so that they keep their size. */
export function CurvePlot({ curve, old, figure, window }: Props) {
  const { statistics: text, when } = useStatisticsText()
  const layout = layOut(curve)
  const [name, before] = [text.figure[figure], text.window[window].before]
  const spanOf = (time: number) => spanName(time, curve.step, { date: when.date, span: text.hour })
  return (
    <div className={old ? 'plot old' : 'plot'} aria-busy={old}>
      <Axes curve={curve} ticks={layout.ticks} />
      <Reader name={name} before={before} curve={curve} layout={layout} spanOf={spanOf} />
      <CurveTable
        caption={text.table(name, text.window[window].now)}
        now={name}
        before={before}
        curve={curve}
        spanOf={spanOf}
      />
    </div>
  )
}

interface ReaderProps {
  name: string
  before: string
  curve: Curve
  layout: Layout
  spanOf: (time: number) => string
}

/** The lines, and the values at the picked point. */
function Reader({ name, before, curve: { points }, layout, spanOf }: ReaderProps) {
  const text = useStatisticsText().statistics
  const { picked, handlers } = usePicked(points.length)
  const at = picked ?? points.length - 1
  const point = points[at]
  const place = layout.now[at]
  if (!point || !place) return null
  const span = spanOf(point.time)
  return (
    <div
      className="plot-area"
      role="slider"
      tabIndex={0}
      aria-label={text.curve(name)}
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={at + 1}
      aria-valuetext={text.reading(span, name, numberText(point.value), before, numberText(point.before))}
      {...handlers}
    >
      <Lines layout={layout} />
      {picked !== undefined && <CurveTip span={span} figure={name} before={before} point={point} at={place} />}
    </div>
  )
}

function Lines({ layout: { now, before } }: { layout: Layout }) {
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path className="under" d={areaUnder(now)} />
      <path className="was" d={lineThrough(before)} />
      <path className="now" d={lineThrough(now)} />
    </svg>
  )
}

function Axes({ curve, ticks }: { curve: Curve; ticks: number[] }) {
  const text = useStatisticsText().statistics
  const last = Math.max(1, curve.points.length - 1)
  return (
    <div className="axes" aria-hidden="true">
      {ticks.map((tick, at) => (
        <span key={tick} className="grid-line" style={{ top: `${100 - (at / (ticks.length - 1)) * 100}%` }}>
          <span>{tickText(tick, text)}</span>
        </span>
      ))}
      {namedPoints(curve).map(({ at, major }) => (
        <span key={at} className={major ? 'moment' : 'moment minor'} style={{ left: `${(at / last) * 100}%` }}>
          {momentName(curve.points[at]?.time ?? 0, curve.step)}
        </span>
      ))}
    </div>
  )
}
