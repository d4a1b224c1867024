import type { DeviceAsked } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { ClientLine } from '../../../ui/client-mark.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useDeviceText } from './device.text.ts'
import { useDeviceAnswer } from './use-device-answer.ts'

/** The application demands a second factor, and the account has none: led to 登录保护, from where going back returns. */
export function NeedsProtection({ asked, onDone }: { asked: DeviceAsked; onDone: (approved: boolean) => void }) {
  const text = useDeviceText()
  const { busy, failure, answer } = useDeviceAnswer(asked, onDone)
  return (
    <>
      <div className="lead">
        <h1>{text.protection.title}</h1>
        <p>{text.protection.lead(asked.client.name)}</p>
      </div>
      <ClientLine client={asked.client} />
      <Notice>{text.protection.steps}</Notice>
      <div className="device-acts">
        <ErrorLine message={failure} />
        <ButtonLink wide to={pages.protection}>
          {text.protection.enrol}
        </ButtonLink>
        <Button kind="quiet" wide busy={busy === false} onClick={() => void answer({ accept: false })}>
          {text.reject}
        </Button>
      </div>
    </>
  )
}
