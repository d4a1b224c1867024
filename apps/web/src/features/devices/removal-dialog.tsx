import type { SignedInDevice } from '@hufu/contract/devices'
import { useLeave } from '../../session/use-leave.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { deviceName } from './device-card.tsx'
import { removeDevice, removeOtherDevices, useRemoval } from './devices.api.ts'
import { useDevicesText } from './devices.text.ts'

/** One device, this very one, or all the others. */
export type Removing = SignedInDevice | 'others'

interface Props {
  removing: Removing
  onDone: () => void
  onCancel: () => void
}

/** Asks before sessions end. */
export function RemovalDialog({ removing, ...rest }: Props) {
  if (removing === 'others') return <RemoveOthers {...rest} />
  return removing.current ? <RemoveThis device={removing} {...rest} /> : <RemoveOne device={removing} {...rest} />
}

type Shared = Omit<Props, 'removing'>

function RemoveOthers({ onDone, onCancel }: Shared) {
  const text = useDevicesText().devices
  const { mutate, isPending, error } = useRemoval(removeOtherDevices)
  const onSuccess = () => {
    showToast('good', text.removedAll)
    onDone()
  }
  return (
    <Dialog
      danger
      title={text.removeAllTitle}
      go={text.removeAll}
      busy={isPending}
      error={error?.message}
      onGo={() => mutate(undefined, { onSuccess })}
      onCancel={onCancel}
    >
      {text.removeAllMessage}
    </Dialog>
  )
}

function RemoveOne({ device, onDone, onCancel }: Shared & { device: SignedInDevice }) {
  const text = useDevicesText().devices
  const { mutate, isPending, error } = useRemoval(removeDevice)
  const onSuccess = () => {
    showToast('good', text.removed)
    onDone()
  }
  return (
    <Dialog
      danger
      title={text.removeTitle}
      go={text.remove}
      busy={isPending}
      error={error?.message}
      onGo={() => mutate(device, { onSuccess })}
      onCancel={onCancel}
    >
      {text.removeMessage(deviceName(device))}
    </Dialog>
  )
}

/** Removing the present browser is signing out. */
function RemoveThis({ device, onCancel }: Shared & { device: SignedInDevice }) {
  const text = useDevicesText().devices
  const { mutate, isPending, error } = useLeave(removeDevice, () => undefined)
  return (
    <Dialog
      danger
      title={text.leaveTitle}
      go={text.remove}
      busy={isPending}
      error={error?.message}
      onGo={() => mutate(device)}
      onCancel={onCancel}
    >
      {text.leaveMessage}
    </Dialog>
  )
}
