import './facts.css'
import type { ReactNode } from 'react'

/** One line of a list of facts: what it is about, and what is so. */
export function Fact({ name, note, children }: { name: string; note?: string | undefined; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {note && <small>{note}</small>}
      </dd>
    </div>
  )
}

/** What a user signs in with. */
export function BrowserFact({ name, browser, os }: { name: string; browser: string; os: string }) {
  return (
    <Fact name={name}>
      <span className="whole">{browser}</span> <span className="facts-dot" /> <span className="whole">{os}</span>
    </Fact>
  )
}
