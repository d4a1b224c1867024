import { messageMost } from '@hufu/contract/feedback-rules'
import { useState } from 'react'
import { CallError } from '../../../lib/call/call.ts'
import { showToast } from '../../../ui/toast.tsx'
import { useMove } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { handOverAgain, taken, tryFailedAgain, whenThere } from '../pictures/pictures-sending.ts'
import { type Pictures, slotsOf } from '../pictures/pictures-slots.ts'
import { acknowledge, keyOf, readDraft, saveText } from './drafts.ts'

export interface Message {
  message: string
  /** Of those that were handed over for it. */
  pictures?: string[]
  key: string
}

interface Sending {
  draft: string
  pictures: Pictures
  send: (message: Message) => Promise<{ id: string }>
  onSent?: ((id: string) => void) | undefined
}

/** What is being written, and sending it. */
export function useMessage({ onSent, ...sending }: Sending) {
  const { draft, pictures } = sending
  const text = useFeedbackText()
  const [written, setWritten] = useState(() => readDraft(draft).text)
  const [askedBlank, setAskedBlank] = useState(false)
  const { mutate, isPending } = useMove((said: string) => deliver(sending, said))
  const message = written.trim()
  const blank = message === '' && slotsOf(pictures).length === 0
  const write = (value: string) => {
    setAskedBlank(false)
    setWritten(value)
    saveText(draft, value)
  }
  const submit = () => {
    setAskedBlank(blank)
    if (blank || message.length > messageMost || isPending) return
    const onSuccess = ({ id }: { id: string }) => {
      showToast('good', text.sent)
      setWritten(readDraft(draft).text)
      onSent?.(id)
    }
    mutate(message, { onSuccess })
  }
  /** Why nothing was sent. */
  const refusal = askedBlank && blank ? text.blank : undefined
  return { written, write, message, refusal, submit, busy: isPending }
}

const isGone = (error: unknown) => error instanceof CallError && error.code === 'PICTURE_GONE'

/** Sends a message with the pictures of this moment. Those that failed or that the server has lost go up again, once. */
async function deliver(sending: Omit<Sending, 'onSent'>, message: string) {
  const { pictures } = sending
  tryFailedAgain(pictures)
  const keys = slotsOf(pictures).map(({ key }) => key)
  try {
    return await attempt(sending, message, keys)
  } catch (error) {
    if (!isGone(error)) throw error
    handOverAgain(pictures, keys)
    return await attempt(sending, message, keys)
  }
}

async function attempt({ draft, pictures, send }: Omit<Sending, 'onSent'>, message: string, keys: number[]) {
  const ids = (await whenThere(pictures, keys)).map(({ id }) => id)
  if (message === '' && ids.length === 0) throw new Error(pictures.text.notAll)
  const said = { message, pictures: ids }
  const key = keyOf(draft, said)
  const sent = await send({ message, key, ...(ids.length > 0 && { pictures: ids }) })
  acknowledge(draft, said)
  taken(pictures, ids)
  return sent
}
