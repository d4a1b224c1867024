import { useChangeAccount } from '../../../identity/other-account/use-change-account.ts'
import { maskMobile } from '../../../lib/mobile-number.ts'
import { resumePath } from '../../../session/interaction.api.ts'
import { maskEmail, nameOf, pictureOf } from '../../../session/user.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { ClientLine } from '../../../ui/client-mark.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { useConsentText } from './consent.text.ts'
import { ConsentActs } from './consent-acts.tsx'
import type { StepProps } from './step-props.ts'

/** The client wants the account to be chosen: this one, or another. */
export function AccountStep({ user, interaction: { client }, id, answer }: StepProps) {
  const text = useConsentText().consent
  const change = useChangeAccount(resumePath(id))
  const known = user.mobile ? maskMobile(user.mobile) : user.email && maskEmail(user.email)
  return (
    <>
      <div className="lead">
        <h1>{text.choose.title}</h1>
        <p>{text.choose.lead(client.name)}</p>
      </div>
      <ClientLine client={client} />
      <div className="chosen-account">
        <Avatar name={nameOf(user)} picture={pictureOf(user)} />
        <div>
          <b>{nameOf(user)}</b>
          {known && known !== nameOf(user) && <small>{known}</small>}
        </div>
        <Button kind="text" busy={change.isPending} onClick={() => change.mutate()}>
          {text.change}
        </Button>
      </div>
      <ErrorLine message={change.error?.message} />
      <ConsentActs answer={answer} accept={text.choose.go} refuse={text.choose.cancel} />
    </>
  )
}
