import './day-range.css'
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
        onChange={({ target }) => onChange({ to: target.value })}
      />
    </div>
  )
}
