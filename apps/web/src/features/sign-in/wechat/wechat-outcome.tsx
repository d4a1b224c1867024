import { failureIn } from '../../../identity/wechat/outcome.ts'
import { Notice } from '../../../ui/notice.tsx'

/** Shows on the sign-in page why WeChat or the second step led back to it. */
export default function WechatOutcome({ outcome }: { outcome: string }) {
  const message = failureIn(outcome)
  return message ? (
    <div role="alert">
      <Notice kind="warn">{message}</Notice>
    </div>
  ) : null
}
