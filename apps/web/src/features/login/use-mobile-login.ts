import { codeLength } from '@hufu/contract/verify-code-rules'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../lib/call.ts'
import { withProof } from '../../lib/with-proof.ts'
import { lastReceiver, noteRefused, noteSent, noteUsed, sentTo, useSentCodes } from '../verify-code/sent-codes.ts'
import { useCountdown } from '../verify-code/use-countdown.ts'
import type { Consent } from './consent.tsx'
import { confirmTicket, retryAfter } from './login.api.ts'
import { type Failure, failureOf, isAboutMobile } from './login-failure.ts'
import { type MobileNumber, receiverOf } from './mobile-receiver.ts'

interface Options {
  number: MobileNumber
  consent: Consent
  /** Why the person is back at the beginning. */
  startFailure: Failure<'mobile'> | undefined
  onSignedIn: () => void
  onConfirm: (ticket: string) => void
}

/** The state of signing in by a texted code: before and after a code was sent to this very number. */
export function useMobileLogin({ number, consent, startFailure, onSignedIn, onConfirm }: Options) {
  const receiver = receiverOf(number)
  const codes = useSentCodes((state) => state.codes)
  const seconds = useCountdown(sentTo(codes, receiver)?.until ?? 0)
  const [sentReceiver, setSentReceiver] = useState(lastReceiver)
  const [sends, setSends] = useState(0)
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState<'send' | 'login'>()
  const [solving, setSolving] = useState(false)
  const [failure, setFailure] = useState<Failure<'mobile' | 'code'> | undefined>(startFailure)
  const codeInput = useRef<HTMLInputElement>(null)
  const sent = sentReceiver === receiver

  useEffect(() => {
    if (sends > 0) codeInput.current?.focus()
  }, [sends])

  const field = (error: unknown) => (sent && !isAboutMobile(error) ? 'code' : 'mobile')
  const payload = { mobilePrefix: number.region.prefix, mobile: number.mobile }

  async function send() {
    if (busy || seconds > 0) return
    setBusy('send')
    setFailure(undefined)
    try {
      const answer = await withProof((proof) => call('/api/verifyCode/mobile', { ...payload, proof }), setSolving)
      noteSent(receiver, answer.retryAfter)
      setSentReceiver(receiver)
      setCode('')
      setSends((count) => count + 1)
    } catch (error) {
      const wait = retryAfter(error)
      if (wait) noteRefused(receiver, wait)
      setFailure(failureOf(error, field(error)))
    } finally {
      setBusy(undefined)
    }
  }

  async function login(typed: string) {
    if (busy) return
    setBusy('login')
    setFailure(undefined)
    try {
      await call('/api/login/mobile', { ...payload, code: typed, agreements: consent.version })
      noteUsed(receiver)
      onSignedIn()
    } catch (error) {
      const ticket = confirmTicket(error)
      if (ticket) {
        noteUsed(receiver)
        return onConfirm(ticket)
      }
      setFailure(failureOf(error, field(error)))
      // Typing anew replaces the wrong code.
      codeInput.current?.focus()
      codeInput.current?.select()
    } finally {
      setBusy(undefined)
    }
  }

  /** The last digit signs in by itself, unless the agreements are still to be asked about. */
  function typeCode(typed: string) {
    setCode(typed)
    setFailure(undefined)
    if (typed.length === codeLength && typed !== code && consent.given) void login(typed)
  }

  return {
    sent,
    seconds,
    code,
    codeInput,
    busy,
    solving,
    failure,
    clearFailure: () => setFailure(undefined),
    typeCode,
    send: () => void send(),
    login: () => consent.before(() => void login(code)),
  }
}
