import type { Authorization } from '@hufu/contract/oidc'
import { Info, LogIn, type LucideIcon, Unlink } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ClientMark } from '../../../ui/client-mark.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useRevocation } from './authorizations.api.ts'
import { useAuthorizationsText } from './authorizations.text.ts'

interface Props {
  authorization: Authorization
  onDone: () => void
  onCancel: () => void
}

/** Says what follows before it is done; from below on phones. */
export function RevokeSheet({ authorization: { client, scopes }, onDone, onCancel }: Props) {
  const text = useAuthorizationsText().list
  const cancel = useRef<HTMLButtonElement>(null)
  const { mutate, isPending, error } = useRevocation()
  const onSuccess = () => {
    showToast('good', text.revoked(client.name))
    onDone()
  }
  const rules: [LucideIcon, string][] = [
    // Our own sites don't ask.
    [LogIn, client.firstParty ? text.signsOut : text.askAgain],
    [Unlink, text.learnsNothing(scopes)],
    [Info, text.stays],
  ]
  return (
    <Modal title={text.ask(client.name)} first={cancel} look="revoke-sheet" onCancel={onCancel}>
      <ClientMark client={client} size="large" />
      <ul className="revoke-rules">
        {rules.map(([Icon, words]) => (
          <li key={words}>
            <Icon />
            <span>{words}</span>
          </li>
        ))}
      </ul>
      <ErrorLine message={error?.message} />
      <div className="revoke-acts">
        <Button kind="danger-main" wide busy={isPending} onClick={() => mutate(client.id, { onSuccess })}>
          {text.revoke}
        </Button>
        <Button ref={cancel} kind="quiet" wide onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
    </Modal>
  )
}
