import './card.css'
import './empty.css'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** Nothing to see here: why, and what to do next. */
export function Empty({ icon: Icon, message, children }: { icon: LucideIcon; message: string; children: ReactNode }) {
  return (
    <div className="card empty">
      <span className="empty-icon">
        <Icon />
      </span>
      <p>{message}</p>
      {children}
    </div>
  )
}
