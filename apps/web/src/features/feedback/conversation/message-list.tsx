import type { FeedbackEntry } from '@hufu/contract/feedback'
import { picturesOnly } from '@hufu/contract/feedback-rules'
import { Fragment, type ReactNode, Suspense, useRef } from 'react'
import { clockOf, dayName } from '../../../lib/time/when.ts'
import { Button } from '../../../ui/button.tsx'
import { useFeedbackText } from '../feedback.text.ts'
import { SaidPictures } from '../pictures/pictures-said.tsx'
import { PictureViewer, useShownPicture } from '../pictures/pictures-shown.ts'
import type { Side, Talk } from './talk.ts'
import { useArrivals } from './use-arrivals.ts'
import { useSeen } from './use-seen.ts'

interface Props {
  side: Side
  talk: Talk
  /** Pictures of those who speak. */
  faces: Record<Side, ReactNode>
  older?: { busy: boolean; onOlder: () => void } | undefined
}

/** What was said, oldest first, with the newest in view. */
export function MessageList({ side, talk, faces, older }: Props) {
  const text = useFeedbackText()
  const box = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const { behind, toEnd, announced } = useArrivals(box, side, talk.entries)
  const { shown, show, close } = useShownPicture(talk.entries)
  useSeen(end, side, talk)
  return (
    <div className="says-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <div ref={box} className="says" role="log" aria-live="off" aria-label={text.talk} tabIndex={0}>
        {older && (
          <div className="line">
            <Button kind="text" busy={older.busy} onClick={older.onOlder}>
              {text.older}
            </Button>
          </div>
        )}
        {talk.entries.map((entry, at) => (
          <Fragment key={entry.seq}>
            <Opening entry={entry} before={talk.entries[at - 1]} />
            {entry.status === undefined ? (
              <Bubble entry={entry} own={entry.role === side} face={faces[entry.role]} onPicture={show} />
            ) : (
              <p className="line">
                <span>{clockOf(entry.time)}</span> {text.moved[side][entry.role][entry.status]}
              </p>
            )}
          </Fragment>
        ))}
        <div ref={end} className="says-end" />
      </div>
      {behind && (
        <button type="button" className="to-end" onClick={toEnd}>
          {text.newBelow}
        </button>
      )}
      <p className="unseen" role="status">
        {announced &&
          text.said(
            text.from[announced.role],
            announced.message || (text.moved[side][announced.role][announced.status ?? 0] ?? ''),
          )}
      </p>
      {shown && (
        <Suspense fallback={null}>
          <PictureViewer {...shown} onClose={close} />
        </Suspense>
      )}
    </div>
  )
}

/** A new day, and at the very beginning that it was handed in. */
function Opening({ entry, before }: { entry: FeedbackEntry; before: FeedbackEntry | undefined }) {
  const text = useFeedbackText()
  const now = Date.now()
  const day = dayName(entry.time, now, text.when)
  if (before && dayName(before.time, now, text.when) === day) return null
  return (
    <p className="line">
      <span>{day}</span> {entry.seq === 1 && text.begun}
    </p>
  )
}

interface BubbleProps {
  entry: FeedbackEntry
  own: boolean
  face: ReactNode
  onPicture: (id: string) => void
}

function Bubble({ entry, own, face, onPicture }: BubbleProps) {
  const text = useFeedbackText()
  const { message, pictures = [] } = entry
  const wordless = pictures.length > 0 && message === picturesOnly
  return (
    <div className={own ? 'say own' : 'say'}>
      {face}
      <div className="say-body">
        <span className="unseen">{text.from[entry.role]}</span>
        <div className="say-parts">
          {!wordless && <p className="bubble">{message}</p>}
          {pictures.length > 0 && <SaidPictures pictures={pictures} onOpen={onPicture} />}
        </div>
        <time dateTime={new Date(entry.time).toISOString()}>{clockOf(entry.time)}</time>
      </div>
    </div>
  )
}
