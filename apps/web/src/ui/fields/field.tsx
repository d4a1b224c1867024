import './field.css'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'

interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface Props {
  label: string
  /** Where the label is said but not drawn. */
  quiet?: boolean
  error?: string | undefined
  /** The rule, as long as nothing is wrong. */
  hint?: string
  /** Beside the label. */
  aside?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** A label, a control and, under it, what is wrong with it. */
export function Field({ label, quiet, error, hint, aside, children }: Props) {
  const id = useId()
  const wrong = `${id}-wrong`
  const rule = `${id}-rule`
  const describedBy = error === undefined ? hint && rule : wrong
  const name = (
    <label htmlFor={id} className={quiet ? 'unseen' : 'label'}>
      {label}
    </label>
  )
  return (
    <div className="field">
      {aside ? (
        <div className="label-row">
          {name}
          {aside}
        </div>
      ) : (
        name
      )}
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': describedBy,
      })}
      {hint && error === undefined && (
        <p className="hint" id={rule}>
          {hint}
        </p>
      )}
      <ErrorLine id={wrong} message={error} />
    </div>
  )
}

export function ErrorLine({ id, message }: { id?: string; message: string | undefined }) {
  if (message === undefined) return null
  return (
    <p className="error" role="alert" id={id}>
      <CircleAlert />
      <span>{message}</span>
    </p>
  )
}
