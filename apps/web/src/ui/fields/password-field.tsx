import './password-field.css'
import { ArrowBigUp, Eye, EyeOff } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { IconButton } from '../button.tsx'
import { Field } from './field.tsx'
import { usePasswordFieldText } from './password-field.text.ts'

interface Props {
  label: string
  placeholder: string
  value: string
  onChange: (password: string) => void
  error?: string | undefined
  /** Whether the label is drawn, too. */
  labelled?: boolean
  /** One that is being made up: password managers offer to make and keep it. */
  fresh?: boolean
}

/** A password: it can be looked at, and capital lock is pointed out. */
export function PasswordField({ label, placeholder, value, onChange, error, labelled, fresh }: Props) {
  const text = usePasswordFieldText()
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <div className="password">
      <Field label={label} quiet={!labelled} error={error}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              type={shown ? 'text' : 'password'}
              autoComplete={fresh ? 'new-password' : 'current-password'}
              autoCapitalize="none"
              spellCheck={false}
              placeholder={placeholder}
              value={value}
              onChange={(event) => onChange(event.target.value)}
              onKeyDown={watchCapsLock}
              onKeyUp={watchCapsLock}
              onBlur={() => setCapsLock(false)}
            />
            <IconButton label={shown ? text.hide : text.show} onClick={() => setShown(!shown)}>
              {shown ? <EyeOff /> : <Eye />}
            </IconButton>
          </div>
        )}
      </Field>
      {capsLock && (
        <p className="caps-lock" role="status">
          <ArrowBigUp />
          {text.capsLock}
        </p>
      )}
    </div>
  )
}
