import './code-field.css'
import { codeLength } from '@hufu/contract/verify-code-rules'
import type { ClipboardEvent, ReactNode, Ref } from 'react'
import { codeIn, digitsOf } from './code-text.ts'
import { Field } from './field.tsx'

interface Props {
  label: string
  value: string
  onChange: (code: string) => void
  error?: string | undefined
  aside?: ReactNode
  ref?: Ref<HTMLInputElement>
}

const places = Array.from({ length: codeLength }, (_, place) => place)

/** One real input, so that filling in from a text message works, over as many drawn boxes as the code has digits. */
export function CodeField({ label, value, onChange, error, aside, ref }: Props) {
  const paste = (event: ClipboardEvent) => {
    const code = codeIn(event.clipboardData.getData('text'))
    if (!code) return
    event.preventDefault()
    onChange(code)
  }
  return (
    <Field label={label} error={error} aside={aside}>
      {(control) => (
        <div className="code">
          <input
            {...control}
            ref={ref}
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern={`[0-9]{${codeLength}}`}
            maxLength={codeLength}
            value={value}
            onChange={(event) => onChange(digitsOf(event.target.value))}
            onPaste={paste}
          />
          {places.map((place) => (
            <span key={place} aria-hidden="true" className={place === value.length ? 'next' : undefined}>
              {value[place]}
            </span>
          ))}
        </div>
      )}
    </Field>
  )
}
