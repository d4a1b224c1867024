import type { ReactNode } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { useAgreeFirstText } from './agree-first.text.ts'

interface Props {
  /** The agreements. */
  links: ReactNode
  onGo: () => void
  onCancel: () => void
}

/** Asks for the consent that was left out. */
export default function AgreeFirst({ links, onGo, onCancel }: Props) {
  const text = useAgreeFirstText()
  return (
    <Dialog title={text.title} go={text.go} onGo={onGo} onCancel={onCancel}>
      {text.goingOnAgrees}
      {links}
    </Dialog>
  )
}
