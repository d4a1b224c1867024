import type { FeedbackItem } from '@hufu/contract/feedback'
import { previewOf, referenceOf } from '@hufu/contract/feedback-rules'
import { CloudOff, MessageSquareText, Star } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { howLong } from '../../../lib/time/how-long.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { whenOf } from '../../../lib/time/when.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { StatusBadge } from '../conversation/status-badge.tsx'
import { entriesOf, type Side } from '../conversation/talk.ts'
import type { FeedbackList } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'

interface Props {
  side: Side
  list: FeedbackList
  /** The one that is open. */
  current: string | undefined
  pathOf: (id: string) => string
  /** What to say, and to offer, when there is nothing. */
  empty: ReactNode
}

/** Conversations, each with its last message. An operator moves through them without adding history entries. */
export function FeedbackItems({ side, list, current, pathOf, empty }: Props) {
  const text = useFeedbackText()
  const { items, old, trouble, askAgain, more } = list
  if (trouble)
    return (
      <div className="list-note">
        <CloudOff />
        <p>{trouble}</p>
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </div>
    )
  if (!items)
    return (
      <div className="list-bones">
        <Skeleton label={text.waiting} rows={3} />
      </div>
    )
  if (items.length === 0)
    return (
      <div className="list-note">
        <MessageSquareText />
        {empty}
      </div>
    )
  return (
    <>
      <ul className={old ? 'items old' : 'items'}>
        {items.map((item) => (
          <li key={item.id}>
            <Link
              to={pathOf(item.id)}
              replace={side === 'merchant'}
              aria-current={item.id === current ? 'page' : undefined}
            >
              <Lines side={side} item={item} />
            </Link>
          </li>
        ))}
      </ul>
      {more && (
        <Button kind="text" busy={more.busy} onClick={more.onMore}>
          {text.more}
        </Button>
      )}
    </>
  )
}

function waitedText(since: number, now: number, text: ReturnType<typeof useFeedbackText>) {
  const long = howLong(since, now, text)
  return long === undefined ? text.waitedLess : text.waited(long)
}

function Lines({ side, item }: { side: Side; item: FeedbackItem }) {
  const text = useFeedbackText()
  const now = useNow()
  const reference = <span className="mono">{referenceOf(item.id)}</span>
  return (
    <>
      <span className="item-top">
        {side === 'merchant' ? <b>{item.mobile ?? text.noMobile}</b> : reference}
        <StatusBadge side={side} status={item.status} />
        {item.unread && <span className="item-news" role="img" aria-label={text.unread} />}
        <time dateTime={new Date(item.time).toISOString()}>{whenOf(item.time, now, text.when)}</time>
      </span>
      <span className="item-words">{previewOf(entriesOf(item)[0]?.message ?? '')}</span>
      {side === 'merchant' && (
        <span className="item-note">
          {reference}
          {item.waitingSince !== null && <span>{waitedText(item.waitingSince, now, text)}</span>}
          {item.rating && <Rated score={item.rating.score} />}
        </span>
      )}
    </>
  )
}

function Rated({ score }: { score: number }) {
  const text = useFeedbackText().rating
  return (
    <span className="item-rated" role="img" aria-label={text.stars(score, text.words[score - 1])}>
      <Star />
      {score}
    </span>
  )
}
