import { CircleCheck, Info, MessageSquareText } from 'lucide-react'
import type { ReactNode } from 'react'

const icons = { asks: MessageSquareText, tells: Info, over: CircleCheck }

interface Props {
  kind: keyof typeof icons
  title: string
  hint?: string | undefined
  /** What can be answered. */
  children?: ReactNode
}

/** What is asked or told at the present status, between the talk and the input. */
export function PromptCard({ kind, title, hint, children }: Props) {
  const Icon = icons[kind]
  return (
    <div className={`ask ${kind}`}>
      <Icon />
      <div className="ask-words">
        <b>{title}</b>
        {hint && <p>{hint}</p>}
      </div>
      {children && <span className="ask-acts">{children}</span>}
    </div>
  )
}
