import '../../../ui/badge.css'
import { useFeedbackText } from '../feedback.text.ts'
import type { Side } from './talk.ts'

/** What waits for the merchant is pressing there, and nothing to worry about for the user. */
const tones: Record<Side, string[]> = {
  user: ['', 'warn', 'brand', 'brand', '', ''],
  merchant: ['bad', 'warn', 'brand', 'brand', '', ''],
}

export function StatusBadge({ side, status }: { side: Side; status: number }) {
  const text = useFeedbackText().status[side]
  return <span className={`badge ${tones[side][status] ?? ''}`}>{text[status]}</span>
}
