import './replies-button.css'
import { Zap } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useUser } from '../../../session/profile.api.ts'
import { Button } from '../../../ui/button.tsx'
import { Compose, type Written } from '../compose/compose.tsx'
import { draftName } from '../compose/drafts.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { Answering } from './answering.tsx'
import { sendReply } from './desk.api.ts'
import { useDeskText } from './desk.text.ts'
import { dropSlash, insertReply, replyOf, useSlash } from './reply-box.ts'
import { useAnswering } from './use-answering.ts'

const leastRows = 3
const loadPicker = () => import('./replies-picker.tsx')
const RepliesPicker = lazy(loadPicker)

interface Props {
  id: string
  refused: string | undefined
  onSent: () => void
}

/** Where an operator replies: who else does, the input, and answers kept ready. */
export function MerchantReply({ id, refused, onSent }: Props) {
  const text = useFeedbackText()
  const { user } = useUser()
  const { others, onWritten } = useAnswering(id)
  const [picking, setPicking] = useState<Written>()
  const pick = (reply: string) => {
    // The focus goes back with the picker, then to what was inserted.
    flushSync(() => setPicking(undefined))
    if (picking) insertReply(picking, reply)
  }
  const close = () => {
    setPicking(undefined)
    if (picking) dropSlash(picking)
  }
  return (
    <>
      <Answering others={others} />
      <Compose
        side="merchant"
        draft={draftName(user?.id ?? '', 'merchant', id)}
        label={text.reply}
        placeholder={text.replyPlaceholder}
        rows={leastRows}
        refused={refused}
        send={(message) => sendReply({ id, ...message })}
        onSent={onSent}
        aids={(box) => <Aids box={box} onWritten={onWritten} onReplies={setPicking} />}
      />
      {picking && (
        <Suspense fallback={null}>
          <RepliesPicker box={picking} refused={refused} onPick={pick} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

interface AidsProps {
  box: Written
  onWritten: (written: string) => void
  onReplies: (box: Written) => void
}

function Aids({ box, onWritten, onReplies }: AidsProps) {
  const text = useDeskText().replies
  const { written } = box
  const before = useRef(written)
  useEffect(() => {
    // What was found on opening was written earlier.
    if (before.current !== written) onWritten(replyOf(written))
    before.current = written
  }, [written, onWritten])
  useSlash(written, () => onReplies(box))
  return (
    <span className="replies-button">
      <Button
        kind="text"
        aria-label={text.title}
        aria-haspopup="dialog"
        title={text.titleHint}
        onPointerEnter={loadPicker}
        onFocus={loadPicker}
        onClick={() => onReplies(box)}
      >
        <Zap />
        <span>{text.title}</span>
      </Button>
    </span>
  )
}
