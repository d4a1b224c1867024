import type { Statistics } from '@hufu/contract/statistics'
import { figures, type Window } from '@hufu/contract/statistics-rules'
import { useId } from 'react'
import { Figure } from '../../ui/figure.tsx'
import { Change } from './change.tsx'
import { useStatisticsText } from './statistics.text.ts'

/** The five figures of one window, each against the window before. */
export function WindowCard({ window, statistics }: { window: Window; statistics: Statistics | undefined }) {
  const text = useStatisticsText().statistics
  const heading = useId()
  return (
    <section className="card window" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{text.window[window].title}</h2>
        <span>{text.window[window].against}</span>
      </header>
      <dl>
        {figures.map((name) => (
          <div key={name}>
            <dt>{text.figure[name]}</dt>
            <dd>
              <b className="window-value">
                <Figure value={statistics?.[`${window}${name}`]} />
              </b>
              {statistics && (
                <Change now={statistics[`${window}${name}`]} before={statistics.before[`${window}${name}`]} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
