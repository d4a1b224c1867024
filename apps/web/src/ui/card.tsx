import './card.css'
import { type ReactNode, useId } from 'react'

interface Props {
  title?: string
  rows?: boolean
  children: ReactNode
}

/** A white sheet, mostly under a small heading; inside either padded content or rows. */
export function Card({ title, rows, children }: Props) {
  const heading = useId()
  return (
    <section className="group" aria-labelledby={title && heading}>
      {title && <h2 id={heading}>{title}</h2>}
      <div className={rows ? 'card rows' : 'card padded'}>{children}</div>
    </section>
  )
}
