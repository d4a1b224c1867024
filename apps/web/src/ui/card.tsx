import './card.css'
import { type ReactNode, useId } from 'react'

/** A white sheet under a small heading; inside either padded content or rows. */
export function Card({ title, rows, children }: { title: string; rows?: boolean; children: ReactNode }) {
  const heading = useId()
  return (
    <section className="group" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <div className={rows ? 'card rows' : 'card padded'}>{children}</div>
    </section>
  )
}
