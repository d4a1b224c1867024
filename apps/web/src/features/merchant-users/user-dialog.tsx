import type { MerchantRight } from '@hufu/contract/merchant-rights'
import type { Person, UserStatus } from '@hufu/contract/merchant-users'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { RecoveryDialog } from './recovery-dialog.tsx'
import { ReleaseDialog } from './release-dialog.tsx'
import { ResetFactorsDialog } from './reset-factors-dialog.tsx'
import { RightsDialog } from './rights-dialog.tsx'
import { setUserStatus, signOutUser, useUserChange } from './user.api.ts'
import { callName } from './user-name.ts'

/** The open dialog with its input: kept during an identity check. */
export type Asking =
  | { what: UserStatus | 'signOut' }
  | { what: 'rights'; rights: MerchantRight[] }
  | { what: 'release' | 'recovery' | 'factors'; reason: string }

interface Props {
  user: Person
  asking: Asking
  onAsking: (asking: Asking) => void
  onClose: () => void
}

/** Every change asks first. */
export function UserDialog({ user, asking, onAsking, onClose }: Props) {
  if (asking.what === 'rights')
    return (
      <RightsDialog
        user={user}
        rights={asking.rights}
        onRights={(rights) => onAsking({ what: 'rights', rights })}
        onClose={onClose}
      />
    )
  if (asking.what === 'release' || asking.what === 'recovery' || asking.what === 'factors') {
    const { what, reason } = asking
    const shared = { user, reason, onReason: (typed: string) => onAsking({ what, reason: typed }), onClose }
    if (what === 'factors') return <ResetFactorsDialog {...shared} />
    return what === 'release' ? <ReleaseDialog {...shared} /> : <RecoveryDialog {...shared} />
  }
  if (asking.what === 'signOut') return <SignOutDialog user={user} onClose={onClose} />
  return <StatusDialog user={user} status={asking.what} onClose={onClose} />
}

function SignOutDialog({ user, onClose }: Pick<Props, 'user' | 'onClose'>) {
  const text = useMerchantUsersText().user
  const { go, busy, error } = useUserChange(user.id, {
    make: () => signOutUser({ id: user.id }),
    becomes: {},
    onDone: ({ ended }) => {
      showToast('good', text.signedOut(ended))
      onClose()
    },
  })
  return (
    <Dialog danger title={text.signOutTitle} go={text.signOutGo} busy={busy} error={error} onGo={go} onCancel={onClose}>
      {text.signOutMessage(callName(user))}
    </Dialog>
  )
}

function StatusDialog({ user, status, onClose }: Pick<Props, 'user' | 'onClose'> & { status: UserStatus }) {
  const { user: text, users, changed } = useMerchantUsersText()
  const { go, busy, error } = useUserChange(user.id, {
    make: () => setUserStatus({ id: user.id, status }),
    becomes: { status },
    onDone: () => {
      showToast('good', changed)
      onClose()
    },
  })
  const disables = status === 'disabled'
  return (
    <Dialog
      danger={disables}
      title={disables ? text.disableTitle : text.enableTitle}
      go={disables ? users.disable : users.enable}
      busy={busy}
      error={error}
      onGo={go}
      onCancel={onClose}
    >
      {disables ? users.disableMessage(callName(user)) : users.enableMessage(callName(user))}
    </Dialog>
  )
}
