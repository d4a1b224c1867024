import './level.css'
import './sms-card.css'
import type { Statistics } from '@hufu/contract/statistics'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { numberText, shareOf } from '../../lib/figures.ts'
import { Figure } from '../../ui/figure.tsx'
import { useStatisticsText } from './statistics.text.ts'

type Sms = Statistics['sms']

/** From this share of the budget on the operator is warned. */
const low = 0.8

/** What codes cost today, against what may be sent in a day. */
export function SmsCard({ sms }: { sms: Sms | undefined }) {
  const text = useStatisticsText().statistics
  const heading = useId()
  return (
    <section className="card sms" aria-labelledby={heading}>
      <h2 id={heading}>{text.sms}</h2>
      {sms?.sent === null ? <p className="sms-unknown">{text.smsUnknown}</p> : <Spent sms={sms} />}
    </section>
  )
}

function Spent({ sms }: { sms: Sms | undefined }) {
  const text = useStatisticsText().statistics
  const sent = sms?.sent ?? 0
  const budget = sms?.budget ?? 0
  const state = sms && sent >= budget ? 'spent' : shareOf(sent, budget) >= low ? 'low' : ''
  return (
    <>
      <p className="sms-count">
        <b>
          <Figure value={sms && sent} />
        </b>
        {sms && <span>{text.smsBudget(numberText(budget))}</span>}
      </p>
      <div className={`level ${state}`} aria-hidden="true">
        <span style={{ width: `${shareOf(sent, budget) * 100}%` }} />
      </div>
      <p className={`sms-left ${state}`}>
        {state === 'low' && <TriangleAlert />}
        {state === 'spent' && <CircleAlert />}
        {sms && <SmsLeft state={state} left={numberText(budget - sent)} />}
      </p>
    </>
  )
}

function SmsLeft({ state, left }: { state: 'spent' | 'low' | ''; left: string }) {
  const text = useStatisticsText().statistics
  return state === 'spent' ? text.smsSpent : state === 'low' ? text.smsLow(left) : text.smsLeft(left)
}
