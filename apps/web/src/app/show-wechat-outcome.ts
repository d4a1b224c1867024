import { failureIn } from '../identity/wechat/outcome.ts'
import { showToast } from '../ui/toast.tsx'

/** Shows on any page why binding WeChat failed. */
export function showWechatOutcome(outcome: string): void {
  const message = failureIn(outcome)
  if (message) showToast('bad', message)
}
