import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { useAboveKeyboard } from '../../../lib/use-above-keyboard.ts'
import { Button } from '../../../ui/button.tsx'

interface Props {
  complete: boolean
  busy: boolean
  words: string
  onSubmit: () => void
  children: ReactNode
}

/** One thing to give and one button; takes the focus when it appears. */
export function ProofForm({ complete, busy, words, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  useAboveKeyboard(form)
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>('input, button')
    first?.focus()
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (complete) onSubmit()
  }
  return (
    <form ref={form} className="login-form" noValidate onSubmit={submit}>
      {children}
      <Button type="submit" wide busy={busy} disabled={!complete}>
        {words}
      </Button>
    </form>
  )
}
