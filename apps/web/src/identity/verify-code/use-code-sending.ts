import { useEffect, useRef, useState } from 'react'
import { retryAfter } from '../../lib/call/failure.ts'
import { withProofOfWork } from '../../lib/call/with-proof-of-work.ts'
import {
  type CodePurpose,
  lastReceiver,
  noteRefused,
  noteSent,
  sentTo,
  useSentCodes,
} from '../../session/sent-codes.ts'
import { useCountdown } from './use-countdown.ts'

interface Options {
  receiver: string
  purpose: CodePurpose
  ask: (proof: string | undefined) => Promise<{ retryAfter: number }>
  onSent: () => void
  onRefused: (error: unknown) => void
}

export type CodeSending = ReturnType<typeof useCodeSending>

/** The state of sending codes to this receiver; another receiver starts over. */
export function useCodeSending({ receiver, purpose, ask, onSent, onRefused }: Options) {
  const codes = useSentCodes((state) => state.codes)
  const seconds = useCountdown(sentTo(codes, receiver)?.until ?? 0)
  const [sentReceiver, setSentReceiver] = useState(() => lastReceiver(purpose))
  const [sends, setSends] = useState(0)
  const [sending, setSending] = useState(false)
  const [solving, setSolving] = useState(false)
  const codeInput = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (sends > 0) codeInput.current?.focus()
  }, [sends])

  async function send() {
    if (sending || seconds > 0) return
    setSending(true)
    try {
      const answer = await withProofOfWork(ask, setSolving)
      noteSent(receiver, purpose, answer.retryAfter)
      setSentReceiver(receiver)
      setSends((count) => count + 1)
      onSent()
    } catch (error) {
      const wait = retryAfter(error)
      if (wait) noteRefused(receiver, purpose, wait)
      onRefused(error)
    } finally {
      setSending(false)
    }
  }

  return {
    sent: sentReceiver === receiver,
    seconds,
    sending,
    solving,
    codeInput,
    send: () => void send(),
    /** Selects the wrong code, so that typing replaces it. */
    selectCode: () => {
      codeInput.current?.focus()
      codeInput.current?.select()
    },
  }
}
