import { failureIn } from '../identity/wechat/outcome.ts'
import { showToast } from '../ui/toast.tsx'

/** Says on any page why binding on the way to it came to nothing. */
export function tellOutcome(outcome: string): void {
  const message = failureIn(outcome)
  if (message) showToast('bad', message)
}
