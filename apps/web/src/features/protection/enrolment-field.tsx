import { Field } from '../../ui/fields/field.tsx'
import { useProtectionText } from './protection.text.ts'

interface Props {
  value: string
  error: string | undefined
  onChange: (code: string) => void
}

/** The code of an ADMIN or of the command line, with which an operator enrols. */
export function EnrolmentField({ value, error, onChange }: Props) {
  const text = useProtectionText().enrolment
  return (
    <Field label={text.label} error={error}>
      {(control) => (
        <div className="box">
          <input
            {...control}
            className="protection-code"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            placeholder={text.placeholder}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      )}
    </Field>
  )
}
