import './checkbox.css'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}

/** A checkbox with its label; links in the label stay links. */
export function Checkbox({ checked, onChange, children }: Props) {
  return (
    <label className="tick">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span className="dot">
        <Check />
      </span>
      <span>{children}</span>
    </label>
  )
}
