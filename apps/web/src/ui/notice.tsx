import './notice.css'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const icons = { good: CircleCheck, warn: TriangleAlert, bad: CircleAlert, plain: Info }

export type NoticeKind = keyof typeof icons

/** A sentence set apart; never by colour alone. */
export function Notice({ kind = 'plain', children }: { kind?: NoticeKind; children: ReactNode }) {
  const Icon = icons[kind]
  return (
    <p className={`notice ${kind}`}>
      <Icon />
      <span>{children}</span>
    </p>
  )
}
