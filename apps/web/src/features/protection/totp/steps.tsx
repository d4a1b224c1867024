import './steps.css'
import { Check } from 'lucide-react'
import { useProtectionText } from '../protection.text.ts'

/** How far the user is: done steps have a tick, the present one is filled. */
export function Steps({ names, at }: { names: string[]; at: number }) {
  const text = useProtectionText().totp
  return (
    <ol className="protection-steps" aria-label={text.stepsName}>
      {names.map((name, place) => (
        <li key={name} className={place < at ? 'done' : undefined} aria-current={place === at ? 'step' : undefined}>
          <span aria-hidden="true">{place < at ? <Check /> : place + 1}</span>
          {name}
          {place < at && <span className="unseen">{text.stepDone}</span>}
        </li>
      ))}
    </ol>
  )
}
