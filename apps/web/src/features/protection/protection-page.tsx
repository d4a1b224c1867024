import './protection.css'
import { pages } from '@hufu/contract/pages'
import { useState } from 'react'
import { Frame } from '../../frame/frame.tsx'
import { usePasskeys } from '../../identity/factor/passkey-support.ts'
import { useAfterCheck } from '../../identity/step-up/use-after-check.ts'
import { useGoBack } from '../../lib/history/go-back.ts'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { FactorsLoaded, type Loaded } from './factors-loaded.tsx'
import { Faq } from './faq.tsx'
import { AddPasskeyDialog } from './passkeys/add-passkey-dialog.tsx'
import { useProtectionText } from './protection.text.ts'
import { ProtectionState } from './protection-state.tsx'
import { ProtectionWays } from './protection-ways.tsx'
import { TrustedDevices } from './trusted-devices.tsx'
import { TurnOffButton, TurnOffDialog } from './turn-off.tsx'

/** Whether signing in takes a second step, and with what. */
export default function ProtectionPage() {
  const text = useProtectionText()
  const goBack = useGoBack(pages.user)
  return (
    <Frame title={text.title} narrow onBack={() => goBack(1)}>
      <FactorsLoaded>{(loaded) => <Shown {...loaded} />}</FactorsLoaded>
    </Frame>
  )
}

type Wish = 'add' | 'off'

/** One wish at a time waits for the identity check. */
function Shown({ user, factors }: Loaded) {
  const text = useProtectionText()
  const possible = usePasskeys()
  const [open, setOpen] = useState<Wish>()
  const check = useAfterCheck<Wish>(pages.protection, setOpen)
  const close = () => setOpen(undefined)
  const adding = {
    possible,
    busy: check.busy && check.pressed === 'add',
    trouble: check.pressed === 'add' ? check.error : undefined,
    begin: () => void check.begin('add'),
  }
  const { protected: on, trust, trusted, operator } = factors
  return (
    <>
      <ProtectionState user={user} factors={factors} adding={adding} />
      <ProtectionWays factors={factors} adding={adding} />
      {on && trust && !operator && <TrustedDevices count={trusted} />}
      <Faq factors={factors} />
      {on && operator && <p className="protection-kept">{text.turnOff.operator}</p>}
      {on && !operator && (
        <TurnOffButton busy={check.busy && check.pressed === 'off'} onPress={() => void check.begin('off')} />
      )}
      {check.pressed === 'off' && <ErrorLine message={check.error} />}
      {open === 'add' && <AddPasskeyDialog factors={factors} onClose={close} />}
      {open === 'off' && <TurnOffDialog onClose={close} />}
    </>
  )
}
