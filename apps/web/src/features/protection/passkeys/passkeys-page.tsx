import '../protection.css'
import type { Passkey } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import { Fingerprint, Plus } from 'lucide-react'
import { useState } from 'react'
import { Frame } from '../../../frame/frame.tsx'
import { usePasskeys } from '../../../identity/factor/passkey-support.ts'
import { useAfterCheck } from '../../../identity/step-up/use-after-check.ts'
import { useGoBack } from '../../../lib/history/go-back.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { FactorsLoaded, type Loaded } from '../factors-loaded.tsx'
import { useProtectionText } from '../protection.text.ts'
import { AddPasskeyDialog } from './add-passkey-dialog.tsx'
import { RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx'
import { PasskeyItem } from './passkey-item.tsx'

export default function PasskeysPage() {
  const text = useProtectionText().passkeys
  const goBack = useGoBack(pages.protection)
  return (
    <Frame title={text.title} narrow onBack={() => goBack(1)}>
      <p className="page-lead">{text.lead}</p>
      <FactorsLoaded>{(loaded) => <Shown {...loaded} />}</FactorsLoaded>
    </Frame>
  )
}

/** What waits for the identity check: a new passkey, or the removal of one. */
type Wish = { what: 'add' } | { what: 'remove'; passkey: Passkey }

function Shown({ factors }: Loaded) {
  const text = useProtectionText()
  const possible = usePasskeys()
  const [open, setOpen] = useState<Wish | { what: 'rename'; passkey: Passkey }>()
  const check = useAfterCheck<Wish>(pages.protectionPasskeys, setOpen)
  const close = () => setOpen(undefined)
  const add = () => void check.begin({ what: 'add' })
  const { passkeys, operator, totp } = factors
  const last = passkeys.length === 1 && !totp
  return (
    <>
      {passkeys.length > 0 ? (
        <Card rows>
          <ul>
            {passkeys.map((passkey) => (
              <PasskeyItem
                key={passkey.id}
                passkey={passkey}
                onRename={() => setOpen({ what: 'rename', passkey })}
                onRemove={operator && last ? undefined : () => void check.begin({ what: 'remove', passkey })}
              />
            ))}
          </ul>
          {possible && <AddRow busy={check.busy} onPress={add} />}
        </Card>
      ) : (
        <Empty icon={Fingerprint} message={text.passkeys.empty}>
          {possible && (
            <Button busy={check.busy} onClick={add}>
              {text.passkeys.add}
            </Button>
          )}
        </Empty>
      )}
      <ErrorLine message={check.error} />
      {!possible && <Notice>{text.passkeys.unsupported}</Notice>}
      {operator && last && <p className="protection-kept">{text.turnOff.operator}</p>}
      {passkeys.some(({ synced }) => synced) && <p className="protection-kept">{text.passkeys.syncedHint}</p>}
      {open?.what === 'add' && <AddPasskeyDialog factors={factors} onClose={close} />}
      {open?.what === 'rename' && <RenamePasskeyDialog passkey={open.passkey} onClose={close} />}
      {open?.what === 'remove' && <RemovePasskeyDialog passkey={open.passkey} last={last} onClose={close} />}
    </>
  )
}

function AddRow({ busy, onPress }: { busy: boolean; onPress: () => void }) {
  const text = useProtectionText().passkeys
  return (
    <button type="button" className="row add" aria-busy={busy} onClick={onPress}>
      <Plus />
      <span className="name">{text.add}</span>
    </button>
  )
}
