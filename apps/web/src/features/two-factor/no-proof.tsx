import { usePersonalText } from '../../lib/personal-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { logOut } from '../profile/profile.api.ts'
import { useLeave } from '../profile/use-leave.ts'

/** An account that has nothing to be checked with: signing in anew is its check. */
export function NoProof() {
  const text = usePersonalText()
  const { mutate, isPending } = useLeave(logOut, ({ message }) => showToast('bad', message))
  return (
    <>
      <Notice>{text.twoFactor.nothing}</Notice>
      <Button kind="soft" wide busy={isPending} onClick={() => mutate()}>
        {text.user.logOut}
      </Button>
    </>
  )
}
