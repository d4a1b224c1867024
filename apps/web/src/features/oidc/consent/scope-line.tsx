import '../../../ui/fields/checkbox.css'
import { Check } from 'lucide-react'
import { useId } from 'react'
import { useConsentText } from './consent.text.ts'
import type { AskedScope } from './scope-value.ts'

interface Props {
  scope: AskedScope
  value: string | null | undefined
  checked: boolean
  onChange: (checked: boolean) => void
}

/** One thing that the client wants: what it is, what it is for this user, and why. A required one can't be unticked. */
export function ScopeLine({ scope: { name, reason, required }, value, checked, onChange }: Props) {
  const text = useConsentText()
  const explanation = useId()
  const why = reason ?? (name === 'offline_access' ? text.consent.offline : undefined)
  return (
    <li>
      <label className="tick scope-line">
        <input
          type="checkbox"
          checked={checked}
          disabled={required}
          aria-describedby={why && explanation}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span className="dot">
          <Check />
        </span>
        <span className="scope-words">
          <span className="scope-name">
            {text.scopes[name]}
            {required && <span className="badge">{text.consent.required}</span>}
          </span>
          {value !== undefined && (
            <span className={value === null ? 'scope-value unset' : 'scope-value'}>{value ?? text.consent.unset}</span>
          )}
          {why && (
            <small id={explanation} aria-hidden="true">
              {why}
            </small>
          )}
        </span>
      </label>
    </li>
  )
}
