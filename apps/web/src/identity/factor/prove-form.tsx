import { type FormEvent, type ReactNode, useRef } from 'react'
import { useAboveKeyboard } from '../../lib/use-above-keyboard.ts'
import { useFirstFocus } from '../../lib/use-first-focus.ts'

/** The form of one factor; takes the focus when it appears. */
export function ProveForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null)
  useAboveKeyboard(form)
  useFirstFocus(form)
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
