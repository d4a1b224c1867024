import './day-range.css'
import { ErrorLine } from '../fields/field.tsx'
import { useDataTableText } from './data-table.text.ts'

interface Props {
  /** What happened in these days. */
  label: string
  /** As in a date field. */
  from?: string
  to?: string
  onChange: (change: Partial<Record<'from' | 'to', string>>) => void
}

/** From one day to another, either of them left open. */
export function DayRange({ label, from, to, onChange }: Props) {
  const text = useDataTableText().days
  const reversed = Boolean(from && to && from > to)
  return (
    <div className="day-range">
      <span>{label}</span>
      <input
        type="date"
        aria-label={text.from(label)}
        value={from ?? ''}
        max={to}
        onChange={({ target }) => onChange({ from: target.value })}
      />
      <span>{text.until}</span>
      <input
        type="date"
        aria-label={text.to(label)}
        value={to ?? ''}
        min={from}
        aria-invalid={reversed}
        onChange={({ target }) => onChange({ to: target.value })}
      />
      <ErrorLine message={reversed ? text.reversed : undefined} />
    </div>
  )
}
