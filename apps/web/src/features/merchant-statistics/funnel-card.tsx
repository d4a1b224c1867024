import './funnel-card.css'
import './level.css'
import type { Statistics } from '@hufu/contract/statistics'
import type { Window } from '@hufu/contract/statistics-rules'
import { useId, useState } from 'react'
import { rateText, shareOf } from '../../lib/figures.ts'
import { Figure } from '../../ui/figure.tsx'
import { useStatisticsText } from './statistics.text.ts'
import { WindowChoice } from './window-choice.tsx'

/** How many came how far on the two ways to sign in that have steps. */
export function FunnelCard({ funnel }: { funnel: Statistics['funnel'] | undefined }) {
  const text = useStatisticsText().statistics
  const heading = useId()
  const [window, setWindow] = useState<Window>('daily')
  const counted = funnel?.[window]
  return (
    <section className="card funnels" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{text.funnel}</h2>
        <WindowChoice value={window} onChange={setWindow} />
      </header>
      <div className="funnels-pair">
        <Funnel
          name={text.codeFunnel}
          steps={text.codeSteps}
          counts={counted && [counted.codeSent, counted.codeVerified, counted.codeSignedIn]}
        />
        <Funnel
          name={text.scanFunnel}
          steps={text.scanSteps}
          counts={counted && [counted.scanShown, counted.scanScanned, counted.scanApproved]}
        />
      </div>
      <p className="funnel-note">{text.funnelNote}</p>
    </section>
  )
}

interface FunnelProps {
  name: string
  steps: string[]
  counts: number[] | undefined
}

function Funnel({ name, steps, counts }: FunnelProps) {
  const heading = useId()
  return (
    <div>
      <h3 id={heading}>{name}</h3>
      <ol className="funnel" aria-labelledby={heading}>
        {steps.map((step, at) => (
          <li key={step}>
            <span>{step}</span>
            <span className="level">
              <span style={{ width: `${shareOf(counts?.[at] ?? 0, counts?.[0] ?? 0) * 100}%` }} />
            </span>
            <b>
              <Figure value={counts?.[at]} />
            </b>
            <span className="rate">{counts && at > 0 && rateText(counts[at] ?? 0, counts[at - 1] ?? 0)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
