import { type FormEvent, type ReactNode, useRef } from 'react'
import { useAboveKeyboard } from '../../lib/use-above-keyboard.ts'
import { useFirstFocus } from '../../lib/use-first-focus.ts'

interface Props {
  /** There is something to type: the focus begins there. */
  typed?: boolean
  onSubmit: () => void
  children: ReactNode
}

/** The form of one factor. */
export function ProveForm({ typed = false, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const none = useRef<HTMLFormElement>(null)
  useAboveKeyboard(form)
  useFirstFocus(typed ? form : none)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} className="factor-form" noValidate onSubmit={submit}>
      {children}
    </form>
  )
}
