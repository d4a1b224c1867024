import { Check, Minus } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useDataTableText } from './data-table.text.ts'
import type { Selection } from './data-table-selection.ts'

interface Props {
  label: string
  checked: boolean
  /** Some are, others aren't. */
  partly?: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

/** A box to tick, finger-sized though it looks smaller. */
export function PickBox({ label, checked, partly = false, disabled = false, onChange }: Props) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = partly
  }, [partly])
  return (
    <label className="pick">
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="check">{partly ? <Minus /> : <Check />}</span>
    </label>
  )
}

/** Half-checked while only some are. */
export function PickAll<Row extends { id: string }>({ selection }: { selection: Selection<Row> }) {
  const text = useDataTableText().table
  const { rows, all, pickAll } = selection
  const whole = all > 0 && rows.length === all
  return (
    <PickBox
      label={text.pickAll}
      checked={whole}
      partly={rows.length > 0 && !whole}
      disabled={all === 0}
      onChange={pickAll}
    />
  )
}
