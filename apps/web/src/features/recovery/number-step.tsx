import { codeLength } from '@hufu/contract/verify-code-rules'
import { useState } from 'react'
import { useIdentityText } from '../../identity/identity.text.ts'
import { CodePart } from '../../identity/verify-code/code-part.tsx'
import { MobileField } from '../../identity/verify-code/mobile-field.tsx'
import { type MobileNumber, openingNumber, receiverOf } from '../../identity/verify-code/mobile-receiver.ts'
import { useCodeSending } from '../../identity/verify-code/use-code-sending.ts'
import { isAboutReceiver, messageFor } from '../../lib/call/failure.ts'
import { useDevice } from '../../lib/device/device.ts'
import { regionOf } from '../../lib/device/device-rules.ts'
import { isPlausible } from '../../lib/mobile-number.ts'
import { lastReceiver } from '../../session/sent-codes.ts'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { AgainButton } from './back-button.tsx'
import { finishRecovery, sendRecoveryMobileCode } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { Support } from './support.tsx'
import { useAttempt } from './use-attempt.ts'

interface Props {
  ticket: string
  onDone: () => void
  onOver: (word: string) => void
  onAgain: () => void
}

/** The wait is over: the new number, proved by a texted code. */
export function NumberStep({ ticket, onDone, onOver, onAgain }: Props) {
  const { number: text, support } = useRecoveryText()
  const { verifyCode } = useIdentityText()
  const [number, setNumber] = useState(() => {
    const device = useDevice.getState()
    return openingNumber(lastReceiver('recoveryMobile'), regionOf(device), device.regions)
  })
  const [code, setCode] = useState('')
  const { busy, failure, refuse, clearFailure, attempt } = useAttempt<'mobile' | 'code'>(onOver, text.refusals)
  const payload = { ticket, mobilePrefix: number.region.prefix, mobile: number.mobile }
  const blame = (error: unknown) => refuse(error, sending.sent && !isAboutReceiver(error) ? 'code' : 'mobile')
  const sending = useCodeSending({
    receiver: receiverOf(number),
    purpose: 'recoveryMobile',
    ask: (proof) => {
      clearFailure()
      return sendRecoveryMobileCode({ ...payload, proof })
    },
    onSent: () => setCode(''),
    onRefused: blame,
  })
  const finish = () =>
    attempt(async () => {
      await finishRecovery({ ...payload, code })
      onDone()
    }, blame)
  const plausible = isPlausible(number.mobile)
  const submit = () => {
    if (!sending.sent) return plausible ? sending.send() : undefined
    if (code.length === codeLength) finish()
  }
  const editNumber = (changed: MobileNumber) => {
    clearFailure()
    setNumber(changed)
  }
  const editCode = (typed: string) => {
    clearFailure()
    setCode(typed)
  }
  return (
    <>
      <StepHead step={5} title={text.title} lead={text.lead} />
      <FormCard inside onSubmit={submit}>
        <MobileField
          label={text.label}
          value={number}
          onChange={editNumber}
          settled={sending.sent}
          error={messageFor(failure, 'mobile')}
        />
        <CodePart
          sending={sending}
          ready={plausible}
          label={verifyCode.smsCode}
          code={code}
          onCode={editCode}
          error={messageFor(failure, 'code')}
          go={text.go}
          busy={busy}
        />
      </FormCard>
      {failure?.code === 'MOBILE_TAKEN' && <Support>{support.taken}</Support>}
      <Notice>{text.once}</Notice>
      <div className="recover-foot">
        <AgainButton onAgain={onAgain} />
      </div>
    </>
  )
}
