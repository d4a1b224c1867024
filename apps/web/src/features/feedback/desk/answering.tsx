import './answering.css'
import type { Colleague } from '@hufu/contract/feedback-desk'
import { useDeskText } from './desk.text.ts'

/** Which other operators are writing a reply. Shown only; it never blocks sending. */
export function Answering({ others }: { others: Colleague[] }) {
  const text = useDeskText()
  return (
    <p className="answering" aria-live="polite">
      {others.length > 0 && (
        <span>
          <span className="answering-dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {text.answering(others.map(({ name }) => name ?? text.otherOperator))}
        </span>
      )}
    </p>
  )
}
