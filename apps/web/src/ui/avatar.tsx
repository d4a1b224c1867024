import './avatar.css'
import { initialOf } from '../lib/initial.ts'

/** The first character of a name in a round. Always beside the name, so it says nothing itself. */
export function Avatar({ name, large }: { name: string; large?: boolean }) {
  return (
    <span className={large ? 'avatar large' : 'avatar'} aria-hidden="true">
      {initialOf(name)}
    </span>
  )
}
