import { pages } from '@hufu/contract/pages'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { useState } from 'react'
import { useIdentityText } from '../../identity/identity.text.ts'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { CodePart } from '../../identity/verify-code/code-part.tsx'
import { MobileField } from '../../identity/verify-code/mobile-field.tsx'
import { openingNumber, receiverOf } from '../../identity/verify-code/mobile-receiver.ts'
import { useCodeSending } from '../../identity/verify-code/use-code-sending.ts'
import { type Failure, failureOf, isAboutReceiver, messageFor } from '../../lib/call/failure.ts'
import { useDevice } from '../../lib/device/device.ts'
import { regionOf } from '../../lib/device/device-rules.ts'
import { groupMobile, isPlausible } from '../../lib/mobile-number.ts'
import { useUser } from '../../session/profile.api.ts'
import { lastReceiver, noteUsed } from '../../session/sent-codes.ts'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { changeMobile, sendMobileCode } from './account.api.ts'
import { useAccountText } from './account.text.ts'
import { AccountPage, Current } from './account-page.tsx'
import { useChange } from './use-change.ts'

export default function ChangeMobilePage() {
  const text = useAccountText().mobile
  return (
    <AccountPage title={text.title} lead={text.lead}>
      <MobileForm />
    </AccountPage>
  )
}

function MobileForm() {
  const text = useAccountText()
  const { verifyCode } = useIdentityText()
  const { user } = useUser()
  const [typed, setTyped] = useKeptInput(pages.changeMobile, () => {
    const device = useDevice.getState()
    return { number: openingNumber(lastReceiver('changeMobile'), regionOf(device), device.regions), code: '' }
  })
  const [failure, setFailure] = useState<Failure<'mobile' | 'code'>>()
  const receiver = receiverOf(typed.number)
  const payload = { mobilePrefix: typed.number.region.prefix, mobile: typed.number.mobile }
  const refuse = (error: unknown) =>
    setFailure(failureOf(error, sending.sent && !isAboutReceiver(error) ? 'code' : 'mobile'))
  const change = useChange({ onRefused: refuse })
  const sending = useCodeSending({
    receiver,
    purpose: 'changeMobile',
    ask: (proof) => {
      setFailure(undefined)
      return sendMobileCode({ ...payload, proof })
    },
    onSent: () => setTyped((before) => ({ ...before, code: '' })),
    onRefused: refuse,
  })
  const edit = (part: Partial<typeof typed>) => {
    setFailure(undefined)
    setTyped({ ...typed, ...part })
  }
  async function confirm() {
    await changeMobile({ ...payload, code: typed.code })
    noteUsed(receiver)
  }
  const plausible = isPlausible(typed.number.mobile)
  const submit = () => {
    if (!sending.sent) return plausible ? sending.send() : undefined
    if (typed.code.length < codeLength) return
    setFailure(undefined)
    change.make(confirm, payload)
  }
  const current = user?.mobile && `+${user.mobilePrefix} ${groupMobile(user.mobile)}`
  return (
    <FormCard onSubmit={submit}>
      <Current label={text.mobile.current} value={current} />
      <MobileField
        label={text.mobile.label}
        value={typed.number}
        onChange={(number) => edit({ number })}
        settled={sending.sent}
        error={messageFor(failure, 'mobile')}
      />
      <CodePart
        sending={sending}
        ready={plausible}
        label={verifyCode.smsCode}
        code={typed.code}
        onCode={(code) => edit({ code })}
        error={messageFor(failure, 'code')}
        go={text.confirm}
        busy={change.busy}
      />
    </FormCard>
  )
}
