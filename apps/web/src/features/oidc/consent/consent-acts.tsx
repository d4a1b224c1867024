import { Button } from '../../../ui/button.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import type { ConsentAnswer } from './consent.api.ts'
import type { StepProps } from './step-props.ts'

interface Props {
  answer: StepProps['answer']
  accept: string
  refuse: string
  /** What is agreed to. */
  given?: Omit<ConsentAnswer, 'accept'>
}

/** The two answers. A button stays busy until the browser has left. */
export function ConsentActs({ answer, accept, refuse, given = {} }: Props) {
  const { mutate, variables, error, isIdle, isError } = answer
  const busy = isIdle || isError ? undefined : variables?.accept
  return (
    <div className="consent-acts">
      <ErrorLine message={error?.message} />
      <Button wide busy={busy === true} disabled={busy === false} onClick={() => mutate({ accept: true, ...given })}>
        {accept}
      </Button>
      <Button
        kind="quiet"
        wide
        busy={busy === false}
        disabled={busy === true}
        onClick={() => mutate({ accept: false })}
      >
        {refuse}
      </Button>
    </div>
  )
}
