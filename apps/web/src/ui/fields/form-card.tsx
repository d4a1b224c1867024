import '../card.css'
import '../waiting.css'
import './form-card.css'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { useAboveKeyboard } from '../../lib/use-above-keyboard.ts'
import { useFirstFocus } from '../../lib/use-first-focus.ts'

interface Props {
  /** It stands in a card with other things. */
  inside?: boolean
  onSubmit: () => void
  children: ReactNode
}

/** The one form of a page, on a card. */
export function FormCard({ inside, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  useAboveKeyboard(form)
  useFirstFocus(form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} className={inside ? 'form' : 'card form-card'} noValidate onSubmit={submit}>
      {children}
    </form>
  )
}

/** The shape of a form that is still to come. */
export function FormSkeleton({ label }: { label: string }) {
  return (
    <div className="card form-card bones" role="status" aria-label={label} aria-busy="true">
      <span className="bone" />
      <span className="bone control" />
      <span className="bone control" />
    </div>
  )
}
