import { useRecoveryText } from './recovery.text.ts'

/** What it takes, the password, the mailed code, asking and waiting, the new number. */
const steps = [1, 2, 3, 4, 5] as const
export type Step = (typeof steps)[number]

interface Props {
  step: Step
  title: string
  lead: string
}

/** How far the user is, and what this step is about. */
export function StepHead({ step, title, lead }: Props) {
  const text = useRecoveryText()
  return (
    <>
      <div className="recover-progress">
        <div aria-hidden="true">
          {steps.map((each) => (
            <span key={each} className={each <= step ? 'passed' : undefined} />
          ))}
        </div>
        <p>{text.step(step, steps.length)}</p>
      </div>
      <div className="lead">
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
    </>
  )
}
