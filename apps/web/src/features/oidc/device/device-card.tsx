import type { DeviceAsked, OidcScope } from '@hufu/contract/oidc'
import type { UserInfo } from '@hufu/contract/profile'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useDeviceText } from './device.text.ts'
import { DeviceFacts, DeviceNetwork } from './device-facts.tsx'
import { DeviceScopes, declinedAtFirst } from './device-scopes.tsx'
import { useDeviceAnswer } from './use-device-answer.ts'

interface Props {
  asked: DeviceAsked
  user: UserInfo
  onDone: (approved: boolean) => void
}

/** What is asked, what the application will learn, and the two answers. Nothing happens without one of them. */
export function DeviceCard({ asked, user, onDone }: Props) {
  const text = useDeviceText()
  const { client, scopes, region, network } = asked
  const [declined, setDeclined] = useState<OidcScope[]>(() => declinedAtFirst(user, scopes))
  const [asking, setAsking] = useState(false)
  const { busy, failure, answer } = useDeviceAnswer(asked, onDone)
  const approve = () => {
    setAsking(false)
    const accepted = scopes.map(({ name }) => name).filter((name) => !declined.includes(name))
    void answer({ accept: true, ...(!client.firstParty && { scopes: accepted }) })
  }
  return (
    <>
      <div className="lead">
        <h1>{text.ask}</h1>
        <p>{text.lead(client.name)}</p>
      </div>
      <DeviceFacts asked={asked} user={user} />
      <DeviceNetwork network={network} />
      {scopes.length > 0 && <DeviceScopes user={user} scopes={scopes} declined={declined} onChange={setDeclined} />}
      <Notice kind="warn">{text.warning}</Notice>
      <div className="device-acts">
        <ErrorLine message={failure} />
        <Button
          wide
          busy={busy === true}
          disabled={busy === false}
          onClick={() => (network === 'elsewhere' ? setAsking(true) : approve())}
        >
          {text.approve}
        </Button>
        <Button
          kind="quiet"
          wide
          busy={busy === false}
          disabled={busy === true}
          onClick={() => void answer({ accept: false })}
        >
          {text.reject}
        </Button>
        <p className="device-hint">{text.revocable}</p>
      </div>
      {asking && (
        <Dialog title={text.sure} go={text.approve} danger onGo={approve} onCancel={() => setAsking(false)}>
          {region ? text.sureFrom(region) : text.sureElsewhere}
        </Dialog>
      )}
    </>
  )
}
