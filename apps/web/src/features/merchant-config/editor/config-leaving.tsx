import { useLeaveGuard } from '../../../lib/history/use-leave-guard.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useConfigText } from '../config.text.ts'

/** Asks before unsaved changes are left behind. */
export function ConfigLeaving({ dirty }: { dirty: boolean }) {
  const text = useConfigText()
  const { asking, leave, stay } = useLeaveGuard(dirty)
  if (!asking) return null
  return (
    <Dialog title={text.leaveTitle} go={text.leaveGo} danger onGo={leave} onCancel={stay}>
      {text.leaveMessage}
    </Dialog>
  )
}
