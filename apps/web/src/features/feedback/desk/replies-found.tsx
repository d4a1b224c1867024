import type { QuickReply } from '@hufu/contract/feedback-desk'
import { useEffect, useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { useDeskText } from './desk.text.ts'

interface Props {
  /** Of the list, for the field that moves through it. */
  id: string
  found: QuickReply[]
  at: number
  onPick: (reply: QuickReply) => void
}

/** What can be inserted; the marked one is always in view. */
export function RepliesFound({ id, found, at, onPick }: Props) {
  const text = useDeskText().replies
  const marked = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is marked
  useEffect(() => {
    marked.current?.scrollIntoView({ block: 'nearest' })
  }, [at, found.length])
  return (
    <div className="replies-list" role="listbox" id={id} aria-label={text.list}>
      {found.map((reply, index) => (
        <button
          key={reply.id}
          ref={index === at ? marked : undefined}
          type="button"
          role="option"
          id={`${id}-${reply.id}`}
          tabIndex={-1}
          aria-selected={index === at}
          onClick={() => onPick(reply)}
        >
          <b>{reply.title}</b>
          <span>{reply.text}</span>
        </button>
      ))}
    </div>
  )
}

interface NothingProps {
  replies: QuickReply[] | undefined
  trouble: string | undefined
  askAgain: () => void
}

/** Why there is nothing to choose. */
export function NoReplies({ replies, trouble, askAgain }: NothingProps) {
  const text = useDeskText()
  if (trouble)
    return (
      <div className="replies-none">
        <p>{trouble}</p>
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </div>
    )
  if (!replies)
    return (
      <div className="replies-bones">
        <Skeleton label={text.replies.waiting} rows={3} />
      </div>
    )
  if (replies.length > 0) return <p className="replies-none">{text.replies.notFound}</p>
  return (
    <div className="replies-none">
      <b>{text.replies.empty}</b>
      <p>{text.replies.emptyHint}</p>
    </div>
  )
}
