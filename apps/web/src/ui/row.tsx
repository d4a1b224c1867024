import './card.css'
import { ChevronRight } from 'lucide-react'
import type { ComponentType } from 'react'
import { Link } from 'react-router'

interface Props {
  to: string
  icon: ComponentType
  label: string
  value?: string | undefined
  /** The value only says that there is none. */
  unset?: boolean
}

/** A row of a card that links to a page: label, value and arrow. */
export function LinkRow({ to, icon: Icon, label, value, unset = false }: Props) {
  return (
    <Link className="row" to={to}>
      <Icon />
      <span className="name">{label}</span>
      <span className={unset ? 'value unset' : 'value'}>{value}</span>
      <ChevronRight className="go" />
    </Link>
  )
}
