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
  /** Beside the label. */
  aside?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** A label, a control and, under it, what is wrong with it. */
export function Field({ label, quiet, error, aside, children }: Props) {
  const id = useId()
  const wrong = `${id}-wrong`
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
        'aria-describedby': error === undefined ? undefined : wrong,
      })}
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
