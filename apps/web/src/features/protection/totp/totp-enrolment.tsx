import type { FactorState } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useKeptInput } from '../../../identity/step-up/kept-input.ts'
import { isCheckOwed, useAskCheck } from '../../../identity/step-up/two-factor.api.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { FormSkeleton } from '../../../ui/fields/form-card.tsx'
import { useFailureWords } from '../failure-words.ts'
import { LostDeviceWarning } from '../lost-device-warning.tsx'
import { codeOf, newTotpQuery } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'
import { EnrolmentStep } from './enrolment-step.tsx'
import { NeedsWay } from './needs-way.tsx'
import { Steps } from './steps.tsx'
import { TotpCodeStep } from './totp-code-step.tsx'
import { TotpScanStep } from './totp-scan-step.tsx'

interface Props {
  user: UserInfo
  factors: FactorState
}

interface Progress {
  step: 0 | 1
  /** The code of an operator who must have one, once the server accepted it. */
  enrolment?: string
}

/** Scan, then prove. The third step, the recovery codes, comes with the first factor. */
export function TotpEnrolment({ user, factors }: Props) {
  const text = useProtectionText()
  const [{ step, enrolment }, setProgress] = useKeptInput<Progress>(pages.protectionTotp, () => ({ step: 0 }))
  if (factors.enrolment && enrolment === undefined)
    return <EnrolmentStep userId={user.id} onAccepted={(code) => setProgress({ step: 0, enrolment: code })} />
  const names = factors.recovery === null ? text.totp.steps : text.totp.steps.slice(0, 2)
  const go = (to: Progress['step']) => setProgress({ step: to, ...(enrolment !== undefined && { enrolment }) })
  return (
    <NewSecret userId={user.id} enrolment={enrolment} onEnrolment={(code) => setProgress({ step: 0, enrolment: code })}>
      {(secret) => (
        <>
          <Steps names={names} at={step} />
          {step === 0 && !factors.protected && <LostDeviceWarning factors={factors} />}
          {step === 0 ? (
            <TotpScanStep {...secret} onNext={() => go(1)} />
          ) : (
            <TotpCodeStep enrolment={enrolment} onBack={() => go(0)} />
          )}
        </>
      )}
    </NewSecret>
  )
}

interface Secret {
  secret: string
  uri: string
}

interface SecretProps {
  userId: string
  enrolment: string | undefined
  onEnrolment: (code: string) => void
  children: (secret: Secret) => ReactNode
}

/** The secret of the new authenticator, or why there is none. */
function NewSecret({ userId, enrolment, onEnrolment, children }: SecretProps) {
  const text = useProtectionText()
  const words = useFailureWords()
  const askCheck = useAskCheck()
  const { data, error, refetch } = useQuery(newTotpQuery(userId, enrolment))
  const owed = isCheckOwed(error)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it turns out
  useEffect(() => {
    if (owed) askCheck()
  }, [owed])
  if (data) return children(data)
  if (!error || owed) return <FormSkeleton label={text.waiting} />
  if (codeOf(error) === 'FACTOR_NEEDS_WAY') return <NeedsWay />
  if (codeOf(error) === 'ENROLMENT_REQUIRED') return <EnrolmentStep userId={userId} onAccepted={onEnrolment} />
  return (
    <Empty icon={ShieldAlert} message={words(error) ?? ''}>
      <Button kind="soft" onClick={() => void refetch()}>
        {text.tryAgain}
      </Button>
    </Empty>
  )
}
