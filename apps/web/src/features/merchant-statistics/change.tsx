import '../../ui/fields/field.css'
import '../../ui/change.css'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { changeOf } from '../../lib/figures.ts'
import { useStatisticsText } from './statistics.text.ts'

/** The change of a figure: an arrow, a word for screen readers, and a colour that is never needed alone. */
export function Change({ now, before }: { now: number; before: number }) {
  const text = useStatisticsText().statistics
  const { kind, text: amount } = changeOf(now, before)
  const word = { up: text.up, down: text.down, same: '', none: text.incomparable }[kind]
  return (
    <span className={`change ${kind}`}>
      {kind === 'up' && <ArrowUp />}
      {kind === 'down' && <ArrowDown />}
      <span className="unseen">{word}</span>
      <span aria-hidden={kind === 'none'}>{amount}</span>
    </span>
  )
}
