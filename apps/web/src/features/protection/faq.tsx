import type { FactorState } from '@hufu/contract/factors'
import { Card } from '../../ui/card.tsx'
import { useProtectionText } from './protection.text.ts'

/** What customers ask; before it is on also what a text message alone risks. */
export function Faq({ factors: { protected: on, operator, recoverable } }: { factors: FactorState }) {
  const text = useProtectionText().faq
  const lost = recoverable ? text.recoverable : text.hopeless
  const questions = [...(on ? [] : [text.risk]), ...text.questions, operator ? text.operator : lost]
  return (
    <Card title={text.title}>
      <dl className="protection-faq">
        {questions.map(({ question, answer }) => (
          <div key={question}>
            <dt>{question}</dt>
            <dd>{answer}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
