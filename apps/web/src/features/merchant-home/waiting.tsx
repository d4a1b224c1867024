import '../../ui/badge.css'
import '../../ui/waiting.css'
import './day.css'
import { referenceOf } from '@hufu/contract/feedback-rules'
import { pages } from '@hufu/contract/pages'
import type { Waiter } from '@hufu/contract/statistics'
import { ChevronRight, Inbox } from 'lucide-react'
import { Link } from 'react-router'
import { howLong } from '../../lib/time/how-long.ts'
import type { DayProps } from './day.tsx'
import { useMerchantHomeText } from './merchant-home.text.ts'
import { countedText } from './rows.ts'

/** Who waits longest, each leading into their conversation. */
export function HomeWaiting({ home, now }: DayProps) {
  const text = useMerchantHomeText().day
  return (
    <div className="day-panel">
      <div className="day-head">
        <h2>{text.waiting}</h2>
        {home && home.waiting > 0 && (
          <>
            <span className="badge bad">{countedText(home.waiting)}</span>
            <Link className="day-all" to={pages.merchantFeedback}>
              {text.all}
              <ChevronRight />
            </Link>
          </>
        )}
      </div>
      {!home && <Bones />}
      {home && home.oldest.length === 0 && <NoneWaiting />}
      {home && home.oldest.length > 0 && (
        <ul>
          {home.oldest.map((waiter) => (
            <li key={waiter.id}>
              <WaitingRow waiter={waiter} now={now} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function WaitingRow({ waiter: { id, status, name, since, preview }, now }: { waiter: Waiter; now: number }) {
  const { day: text, home } = useMerchantHomeText()
  const long = howLong(since, now, home)
  return (
    <Link className="day-talk" to={`${pages.merchantFeedback}/${id}`}>
      <span className="day-words">
        <span className="day-line">
          <b>{name ?? text.unnamed(referenceOf(id))}</b>
          <span className="day-since">{long === undefined ? text.waitedLess : text.waited(long)}</span>
        </span>
        <span className="day-line">
          <span className={status === 0 ? 'badge bad' : 'badge warn'}>{text.status[status === 0 ? 0 : 1]}</span>
          <span className="day-preview">{preview}</span>
        </span>
      </span>
      <ChevronRight className="go" />
    </Link>
  )
}

function NoneWaiting() {
  const text = useMerchantHomeText().day
  return (
    <div className="day-none">
      <span className="day-calm">
        <Inbox />
      </span>
      <p>
        <b>{text.noneWaits}</b>
        <span>{text.noneWaitsHint}</span>
      </p>
    </div>
  )
}

const Bones = () => (
  <div className="day-bones">
    {[0, 1, 2].map((place) => (
      <span key={place} className="bone" />
    ))}
  </div>
)
