import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { adopt } from '../../session/profile.api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { keepProgress } from './progress.ts'
import { cancelRecovery } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'

export function CancelDialog({ purpose, onClose }: { purpose: RecoveryPurpose; onClose: () => void }) {
  const text = useRecoveryText().banner[purpose]
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
