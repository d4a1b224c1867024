import { type FigureName, figures, type Window } from '@hufu/contract/statistics-rules'
import { ChevronDown, CloudOff } from 'lucide-react'
import { useState } from 'react'
import { CurvePlot } from './curve-plot.tsx'
import { useCurve } from './statistics.api.ts'
import { useStatisticsText } from './statistics.text.ts'
import { WindowChoice } from './window-choice.tsx'

/** One figure over time, beside it the same in the window before. */
export function CurveCard() {
  const text = useStatisticsText().statistics
  const [window, setWindow] = useState<Window>('daily')
  const [figure, setFigure] = useState<FigureName>('AccessedUsers')
  const { curve, old, failing } = useCurve(window, figure)
  return (
    <section className="card curve" aria-label={text.trend}>
      <header>
        <FigureChoice value={figure} onChange={setFigure} />
        <p className="legend" aria-hidden="true">
          <span>{text.window[window].now}</span>
          <span className="was">{text.window[window].before}</span>
        </p>
        <WindowChoice value={window} onChange={setWindow} />
      </header>
      {curve && <CurvePlot curve={curve} old={old} figure={figure} window={window} />}
      {!curve && (
        <p className="plot-waiting" aria-busy={!failing}>
          {failing ? <CloudOff /> : <span className="bone" />}
          {failing && text.curveUnreachable}
        </p>
      )}
    </section>
  )
}

function FigureChoice({ value, onChange }: { value: FigureName; onChange: (figure: FigureName) => void }) {
  const text = useStatisticsText().statistics
  return (
    <div className="figure-choice">
      <select
        aria-label={text.chooseFigure}
        value={value}
        onChange={({ target }) => onChange(figures.find((each) => each === target.value) ?? value)}
      >
        {figures.map((each) => (
          <option key={each} value={each}>
            {text.figure[each]}
          </option>
        ))}
      </select>
      <ChevronDown />
    </div>
  )
}
