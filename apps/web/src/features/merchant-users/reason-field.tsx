import { Field } from '../../ui/fields/field.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'

interface Props {
  placeholder: string
  value: string
  onChange: (reason: string) => void
}

/** Why it is done, for the operators' log. */
export function ReasonField({ placeholder, value, onChange }: Props) {
  const text = useMerchantUsersText().user
  return (
    <Field label={text.reason}>
      {(control) => (
        <div className="box">
          <input
            {...control}
            maxLength={200}
            placeholder={placeholder}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        </div>
      )}
    </Field>
  )
}
