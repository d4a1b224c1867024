import './segmented.css'
import { useId } from 'react'

interface Props<Value> {
  label: string
  value: Value
  options: { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** One of a few values, in force at once. Real radio buttons: the arrow keys come with them. */
export function Segmented<Value>({ label, value, options, onChange }: Props<Value>) {
  const name = useId()
  return (
    <div className="seg" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.label}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  )
}
