import './choice.css'
import { useId } from 'react'

interface ChoiceProps {
  name: string
  line: string
  busy: boolean
  onChoose: () => void
}

/** One of a few answers, with what it means. The whole card is the button. */
export function Choice({ name, line, busy, onChoose }: ChoiceProps) {
  const id = useId()
  return (
    <div className="choice">
      <button type="button" aria-describedby={id} aria-busy={busy || undefined} onClick={busy ? undefined : onChoose}>
        {name}
      </button>
      <p id={id}>{line}</p>
    </div>
  )
}
