import './card.css'
import './empty.css'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  icon: LucideIcon
  title?: string
  message: string
  children?: ReactNode
}

/** Nothing to see here: why, and what to do next. */
export function Empty({ icon: Icon, title, message, children }: Props) {
  return (
    <div className="card empty">
      <span className="empty-icon">
        <Icon />
      </span>
      <div>
        {title && <h2>{title}</h2>}
        <p>{message}</p>
      </div>
      {children}
    </div>
  )
}
