import { pages } from '@hufu/contract/pages'
import type { OwnSecurityEntry } from '@hufu/contract/security'
import { useNavigate } from 'react-router'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useDisowning } from './security.api.ts'
import { useSecurityText } from './security.text.ts'

export type Disowning = NonNullable<OwnSecurityEntry['session']>

/** Says what will happen before it does, and leads to the next steps. */
export function DisownDialog({ session, onCancel }: { session: Disowning; onCancel: () => void }) {
  const text = useSecurityText().history
  const navigate = useNavigate()
  const { mutate, isPending, error } = useDisowning()
  const onSuccess = () => {
    showToast('good', session.live ? text.removed : text.marked)
    void navigate(pages.protect)
  }
  return (
    <Dialog
      danger
      title={text.askTitle}
      go={session.live ? text.disown : text.mark}
      busy={isPending}
      error={error?.message}
      onGo={() => mutate(session, { onSuccess })}
      onCancel={onCancel}
    >
      {session.live ? text.askLive : text.askEnded}
    </Dialog>
  )
}
