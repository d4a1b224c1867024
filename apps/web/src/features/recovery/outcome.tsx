import './outcome.css'
import type { ReactNode } from 'react'
import { ResultMark } from '../../ui/result-mark.tsx'

interface Props {
  good?: boolean
  title: string
  lead: string
  children: ReactNode
}

/** How it ended: a mark, one sentence, and what to do next. */
export function Outcome({ good = false, title, lead, children }: Props) {
  return (
    <>
      <div className="outcome">
        <ResultMark good={good} />
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
      {children}
    </>
  )
}
