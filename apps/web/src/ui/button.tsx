import './button.css'
import type { ComponentProps } from 'react'
import { Link } from 'react-router'

interface Look {
  kind?: 'main' | 'soft' | 'quiet' | 'danger' | 'text'
  wide?: boolean
}

const classOf = ({ kind = 'main', wide }: Look) => `btn ${kind}${wide ? ' wide' : ''}`

export function Button({ kind, wide, ...rest }: Look & Omit<ComponentProps<'button'>, 'className'>) {
  return <button type="button" {...rest} className={classOf({ kind, wide } as Look)} />
}

/** Leads to another page but looks like a button. */
export function ButtonLink({ kind, wide, ...rest }: Look & Omit<ComponentProps<typeof Link>, 'className'>) {
  return <Link {...rest} className={classOf({ kind, wide } as Look)} />
}

/** A round of finger size with only a picture on it; the label is for those who can't see it. */
export function IconButton({ label, ...rest }: { label: string } & Omit<ComponentProps<'button'>, 'className'>) {
  return <button type="button" {...rest} className="icon-btn" aria-label={label} />
}
