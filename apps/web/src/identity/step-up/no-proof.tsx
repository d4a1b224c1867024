import { logOut } from '../../session/profile.api.ts'
import { useLeave } from '../../session/use-leave.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useStepUpText } from './step-up.text.ts'

/** An account without any means of proof: signing in again is its check. */
export function NoProof() {
  const text = useStepUpText()
  const { mutate, isPending } = useLeave(logOut, ({ message }) => showToast('bad', message))
  return (
    <>
      <Notice>{text.nothing}</Notice>
      <Button kind="soft" wide busy={isPending} onClick={() => mutate()}>
        {text.logOut}
      </Button>
    </>
  )
}
