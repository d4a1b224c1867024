import '../protection.css'
import { pages } from '@hufu/contract/pages'
import { Frame } from '../../../frame/frame.tsx'
import { Checked } from '../../../identity/step-up/checked.tsx'
import { useGoBack } from '../../../lib/history/go-back.ts'
import { RecoveryCodes } from '../codes/recovery-codes.tsx'
import { FactorsLoaded, type Loaded } from '../factors-loaded.tsx'
import { useFactors, useNewCodes } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'
import { NeedsWay } from './needs-way.tsx'
import { Steps } from './steps.tsx'
import { TotpBound } from './totp-bound.tsx'
import { TotpEnrolment } from './totp-enrolment.tsx'

/** Binds an authenticator app in three steps; a bound one can be removed. */
export default function TotpPage() {
  const text = useProtectionText().totp
  const goBack = useGoBack(pages.protection)
  const { factors } = useFactors()
  const { made } = useNewCodes()
  const title = factors?.totp && !made ? text.title : text.bindTitle
  return (
    <Frame title={title} narrow onBack={() => goBack(1)}>
      <FactorsLoaded>{(loaded) => <Shown {...loaded} />}</FactorsLoaded>
    </Frame>
  )
}

function Shown({ user, factors }: Loaded) {
  const text = useProtectionText().totp
  const { made } = useNewCodes()
  if (made)
    return (
      <>
        <Steps names={text.steps} at={2} />
        <RecoveryCodes made={made} user={user} title={text.done} />
      </>
    )
  if (factors.totp) return <TotpBound totp={factors.totp} factors={factors} />
  if (!factors.otherWay) return <NeedsWay />
  return (
    <Checked>
      <TotpEnrolment user={user} factors={factors} />
    </Checked>
  )
}
