import '../../ui/badge.css'
import '../../ui/waiting.css'
import { ChevronRight, type LucideIcon } from 'lucide-react'
import { Link } from 'react-router'

export interface RowProps {
  to: string
  icon: LucideIcon
  label: string
  note: string
  /** How it stands, as a number with its name or as a badge. */
  hint?: { value: string; name: string } | { badge: string; good?: boolean } | undefined
  /** Whether the hint is still to come. */
  waiting: boolean
}

/** A link to a page of the back-office, with its purpose and state. */
export function MerchantHomeRow({ to, icon: Icon, label, note, hint, waiting }: RowProps) {
  return (
    <Link className="merchant-row" to={to}>
      <span className="merchant-icon">
        <Icon />
      </span>
      <span className="merchant-what">
        <b>{label}</b>
        <span>{note}</span>
      </span>
      {hint && 'value' in hint && (
        <span className="merchant-hint">
          <b>{hint.value}</b>
          <span>{hint.name}</span>
        </span>
      )}
      {hint && 'badge' in hint && <span className={hint.good ? 'badge good' : 'badge'}>{hint.badge}</span>}
      {waiting && <span className="bone merchant-bone" />}
      <ChevronRight className="go" />
    </Link>
  )
}
