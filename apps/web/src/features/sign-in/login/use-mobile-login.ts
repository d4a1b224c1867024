import type { FactorRequired } from '@hufu/contract/factors'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { use, useState } from 'react'
import { type MobileNumber, receiverOf } from '../../../identity/verify-code/mobile-receiver.ts'
import { useCodeSending } from '../../../identity/verify-code/use-code-sending.ts'
import { type Failure, failureOf, isAboutReceiver } from '../../../lib/call/failure.ts'
import { withProofOfWork } from '../../../lib/call/with-proof-of-work.ts'
import { noteUsed } from '../../../session/sent-codes.ts'
import type { Consent } from './consent.tsx'
import { ClientRequestContext } from './lead.tsx'
import { confirmTicket, factorIn, loginByMobile, sendLoginCode } from './login.api.ts'

interface Options {
  number: MobileNumber
  consent: Consent
  /** Why the user is back at the beginning. */
  startFailure: Failure<'mobile'> | undefined
  onSignedIn: () => void
  onFactor: (required: FactorRequired) => void
  onConfirm: (ticket: string) => void
}

/** The state of signing in by a texted code: before and after a code was sent to this very number. */
export function useMobileLogin({ number, consent, startFailure, onSignedIn, onFactor, onConfirm }: Options) {
  const receiver = receiverOf(number)
  const payload = { mobilePrefix: number.region.prefix, mobile: number.mobile }
  const { again } = use(ClientRequestContext)
  const [code, setCode] = useState('')
  const [signingIn, setSigningIn] = useState(false)
  const [solving, setSolving] = useState(false)
  const [failure, setFailure] = useState<Failure<'mobile' | 'code'> | undefined>(startFailure)
  const sending = useCodeSending({
    receiver,
    purpose: 'login',
    ask: (proof) => {
      setFailure(undefined)
      return sendLoginCode({ ...payload, proof, ...(again && { type: 'login' as const }) })
    },
    onSent: () => setCode(''),
    onRefused: (error) => setFailure(failureOf(error, field(error))),
  })
  const busy = sending.sending ? 'send' : signingIn ? 'login' : undefined
  const field = (error: unknown) => (sending.sent && !isAboutReceiver(error) ? 'code' : 'mobile')

  async function login(typed: string) {
    if (busy) return
    setSigningIn(true)
    setFailure(undefined)
    try {
      const answer = { ...payload, code: typed, agreements: consent.version }
      await withProofOfWork((proof) => loginByMobile({ ...answer, proof }), setSolving)
      noteUsed(receiver)
      onSignedIn()
    } catch (error) {
      const ticket = confirmTicket(error)
      const factor = factorIn(error)
      if (ticket || factor) noteUsed(receiver)
      if (ticket) return onConfirm(ticket)
      if (factor) return onFactor(factor)
      setFailure(failureOf(error, field(error)))
      sending.selectCode()
    } finally {
      setSigningIn(false)
    }
  }

  /** The last digit submits, after consent where it is still missing. */
  function typeCode(typed: string) {
    setCode(typed)
    setFailure(undefined)
    if (typed.length === codeLength && typed !== code) consent.before(() => void login(typed))
  }

  return {
    ...sending,
    solving: solving || sending.solving,
    code,
    busy,
    failure,
    clearFailure: () => setFailure(undefined),
    typeCode,
    login: () => consent.before(() => void login(code)),
  }
}
