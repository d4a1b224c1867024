import '../../../ui/card.css'
import './talk.css'
import { feedbackStatus } from '@hufu/contract/feedback-rules'
import { CloudOff, MessageSquareText } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { useTalk } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { MessageList } from './message-list.tsx'
import type { Side, Talk } from './talk.ts'

interface Props {
  side: Side
  id: string
  faces: Record<Side, ReactNode>
  head: (talk: Talk) => ReactNode
  /** Between the head and what was said. */
  under?: ReactNode
  /** What is asked or told at its status. */
  prompt: (talk: Talk) => ReactNode
  compose: (talk: Talk) => ReactNode
}

/** One conversation: its head, what was said, the prompt and the input. Both sides differ in what they put there. */
export function TalkCard({ side, id, faces, head, under, prompt, compose }: Props) {
  const text = useFeedbackText()
  const { talk, missing, trouble, askAgain, more, older } = useTalk(side, id)
  if (missing) return <Empty icon={MessageSquareText} title={text.missing} message={text.missingHint} />
  if (!talk && trouble)
    return (
      <Empty icon={CloudOff} message={trouble}>
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </Empty>
    )
  if (!talk)
    return (
      <div className="card chat pane">
        <div className="says">
          <Skeleton label={text.waiting} rows={3} />
        </div>
      </div>
    )
  const ended = side === 'user' && talk.status === feedbackStatus.closed
  return (
    <section className={ended ? 'card chat pane ended' : 'card chat pane'} aria-label={text.talk}>
      <header>{head(talk)}</header>
      {under}
      <MessageList
        side={side}
        talk={talk}
        faces={faces}
        older={more ? { busy: older.isPending, onOlder: () => older.mutate() } : undefined}
      />
      <div aria-live="polite">{prompt(talk)}</div>
      {compose(talk)}
    </section>
  )
}
