import type { Statistics } from '@hufu/contract/statistics'
import { windows } from '@hufu/contract/statistics-rules'
import { useId } from 'react'
import { Figure } from '../../ui/figure.tsx'
import { useStatisticsText } from './statistics.text.ts'

export function TotalCard({ statistics }: { statistics: Statistics | undefined }) {
  const text = useStatisticsText().statistics
  const heading = useId()
  return (
    <section className="card total" aria-labelledby={heading}>
      <h2 id={heading}>{text.total}</h2>
      <p className="total-count">
        <b>
          <Figure value={statistics?.userCount} />
        </b>
        {text.people}
      </p>
      <dl>
        {windows.map((window) => (
          <div key={window}>
            <dt>{text.window[window].newcomers}</dt>
            <dd>
              <Figure value={statistics?.newUsers[window]} sign="+" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
