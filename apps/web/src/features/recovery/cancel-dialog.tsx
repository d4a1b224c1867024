import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CallError, call } from '../../lib/call.ts'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { adopt } from '../profile/profile.api.ts'
import { isCheckOwed, useAskCheck } from '../two-factor/two-factor.api.ts'
import { keepProgress } from './progress.ts'

/** One that ended in the meantime is as good as cancelled. */
async function cancelRecovery() {
  await call('/api/user/recovery/cancel').catch((error) => {
    if (!(error instanceof CallError) || error.code !== 'RECOVERY_NONE') throw error
  })
}

export function CancelDialog({ onClose }: { onClose: () => void }) {
  const text = useRecoveryText().banner
  const client = useQueryClient()
  const askCheck = useAskCheck()
  const { mutate, isPending, error } = useMutation({
    mutationFn: cancelRecovery,
    onSuccess: async () => {
      keepProgress(undefined)
      onClose()
      showToast('good', text.cancelled)
      await adopt(client, () => ({ recovery: null }))
    },
    onError: (failure) => isCheckOwed(failure) && askCheck(),
  })
  return (
    <Dialog
      danger
      title={text.title}
      go={text.go}
      busy={isPending}
      error={isCheckOwed(error) ? undefined : error?.message}
      onGo={() => mutate()}
      onCancel={onClose}
    >
      {text.message}
    </Dialog>
  )
}
