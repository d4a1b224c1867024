import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSecurityText } from './security.text.ts'

interface Props {
  number: number
  title: string
  lead: string
  done?: boolean
  children: ReactNode
}

/** One of the things to do, with a tick where its number was once it is done. */
export function ProtectStep({ number, title, lead, done = false, children }: Props) {
  const text = useSecurityText().protect
  return (
    <li className="card protect-step">
      <div className="protect-head">
        <span className={done ? 'protect-number done' : 'protect-number'} aria-hidden="true">
          {done ? <Check /> : number}
        </span>
        <div>
          <h2>
            {title}
            {done && <span className="unseen">{text.finished}</span>}
          </h2>
          <p>{lead}</p>
        </div>
      </div>
      {children}
    </li>
  )
}
