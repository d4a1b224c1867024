import './card.css'
import './explained-row.css'
import { ChevronRight } from 'lucide-react'
import type { ComponentType } from 'react'
import { Link } from 'react-router'

interface Props {
  icon: ComponentType
  name: string
  line: string
  /** The line says what to do soon. */
  warn?: boolean
  value: string
  unset?: boolean
  /** Where it leads; without it, it only says what is so. */
  to?: string | undefined
  onPress?: (() => void) | undefined
}

/** A row with a line of explanation under its name. */
export function ExplainedRow({ icon: Icon, name, line, warn, value, unset, to, onPress }: Props) {
  const content = (
    <>
      <Icon />
      <span className="name">
        {name}
        <small className={warn ? 'warn' : undefined}>{line}</small>
      </span>
      <span className={unset ? 'value unset' : 'value'}>{value}</span>
      {(to || onPress) && <ChevronRight className="go" />}
    </>
  )
  if (to)
    return (
      <Link className="row two" to={to}>
        {content}
      </Link>
    )
  if (onPress)
    return (
      <button type="button" className="row two" onClick={onPress}>
        {content}
      </button>
    )
  return <div className="row two">{content}</div>
}
