import './waiting.css'
import './button.css'
import type { ComponentProps } from 'react'
import { Link } from 'react-router'

interface Look {
  kind?: 'main' | 'soft' | 'quiet' | 'danger' | 'danger-main' | 'text'
  wide?: boolean
}

const classOf = ({ kind = 'main', wide }: Look) => `btn ${kind}${wide ? ' wide' : ''}`

interface State {
  busy?: boolean
  /** Looks disabled and is announced so, but stays focusable to say why. */
  refused?: boolean
}

/** A busy button keeps its size and the focus, but can't be pressed again. */
export function Button({
  kind,
  wide,
  busy = false,
  refused = false,
  onClick,
  children,
  ...rest
}: Look & State & Omit<ComponentProps<'button'>, 'className'>) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || refused || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classOf({ kind, wide } as Look)}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** Leads to another page but looks like a button. */
export function ButtonLink({ kind, wide, ...rest }: Look & Omit<ComponentProps<typeof Link>, 'className'>) {
  return <Link {...rest} className={classOf({ kind, wide } as Look)} />
}

/** A round of finger size with only a picture on it; the label is for those who can't see it. */
export function IconButton({ label, ...rest }: { label: string } & Omit<ComponentProps<'button'>, 'className'>) {
  return <button type="button" {...rest} className="icon-btn" aria-label={label} />
}
