import type { MerchantRight } from '@hufu/contract/merchant-rights'
import type { Person, UserStatus } from '@hufu/contract/merchant-users'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { RecoveryDialog } from './recovery-dialog.tsx'
import { ReleaseDialog } from './release-dialog.tsx'
import { RightsDialog } from './rights-dialog.tsx'
import { setUserStatus, signOutUser, usePersonChange } from './user.api.ts'
import { callName } from './user-name.ts'

/** What is being asked, with what is typed or ticked so far: it waits while an identity check is made. */
export type Asking =
  | { what: UserStatus | 'signOut' }
  | { what: 'rights'; rights: MerchantRight[] }
  | { what: 'release' | 'recovery'; reason: string }

interface Props {
  person: Person
  asking: Asking
  onAsking: (asking: Asking) => void
  onClose: () => void
}

/** Every change asks first. */
export function PersonDialog({ person, asking, onAsking, onClose }: Props) {
  if (asking.what === 'rights')
    return (
      <RightsDialog
        person={person}
        rights={asking.rights}
        onRights={(rights) => onAsking({ what: 'rights', rights })}
        onClose={onClose}
      />
    )
  if (asking.what === 'release' || asking.what === 'recovery') {
    const { what, reason } = asking
    const shared = { person, reason, onReason: (typed: string) => onAsking({ what, reason: typed }), onClose }
    return what === 'release' ? <ReleaseDialog {...shared} /> : <RecoveryDialog {...shared} />
  }
  if (asking.what === 'signOut') return <SignOutDialog person={person} onClose={onClose} />
  return <StatusDialog person={person} status={asking.what} onClose={onClose} />
}

function SignOutDialog({ person, onClose }: Pick<Props, 'person' | 'onClose'>) {
  const text = useMerchantUsersText().person
  const { go, busy, error } = usePersonChange(person.id, {
    make: () => signOutUser({ id: person.id }),
    becomes: {},
    onDone: ({ ended }) => {
      showToast('good', text.signedOut(ended))
      onClose()
    },
  })
  return (
    <Dialog danger title={text.signOutTitle} go={text.signOutGo} busy={busy} error={error} onGo={go} onCancel={onClose}>
      {text.signOutMessage(callName(person))}
    </Dialog>
  )
}

function StatusDialog({ person, status, onClose }: Pick<Props, 'person' | 'onClose'> & { status: UserStatus }) {
  const { person: text, users, changed } = useMerchantUsersText()
  const { go, busy, error } = usePersonChange(person.id, {
    make: () => setUserStatus({ id: person.id, status }),
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
      {disables ? users.disableMessage(callName(person)) : users.enableMessage(callName(person))}
    </Dialog>
  )
}
