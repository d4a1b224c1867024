import type { UserRow } from '@hufu/contract/merchant-users'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { CallError } from '../../lib/call/call.ts'
import { showToast } from '../../ui/toast.tsx'
import { sendMessage } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import type { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'
import type { ReadParams } from './params.ts'

/** What was typed, and who was picked for it. */
export interface Receiver {
  typed: string
  picked?: UserRow
}

/** What stands in the form; it stays after sending, for the next one. */
export interface MessageDraft {
  receiver: Receiver
  templateId: string
  params: string
  url: string
}

export const messageFor = (user: string | null): MessageDraft => ({
  receiver: { typed: user ?? '' },
  templateId: '',
  params: '{}',
  url: '',
})

/** The user may be resolved later, without another edit. */
export const isSameMessage = (one: MessageDraft, other: MessageDraft) =>
  one.receiver.typed === other.receiver.typed &&
  (['templateId', 'params', 'url'] as const).every((field) => one[field] === other[field])

/** The server's words about the user rather than the message. */
const aboutUser = ['USER_UNKNOWN', 'USER_AMBIGUOUS', 'WECHAT_UNBOUND']

/** Old browsers have no URL.canParse. */
function isWebAddress(typed: string): boolean {
  try {
    return /^https?:\/\/./i.test(typed) && Boolean(new URL(typed))
  } catch {
    return false
  }
}

/** Whole or short, as the server takes it. */
export const looksLikeId = (typed: string) => /^[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i.test(typed.trim())

/** What has to be set right before anything is sent. */
function faultsOf({ receiver, templateId, url }: MessageDraft, words: (typeof merchantWechatZhCN)['message']) {
  return {
    ...(!receiver.picked && !looksLikeId(receiver.typed) && { user: words.userChoose }),
    ...(templateId === '' && { template: words.templateMissing }),
    ...(url.trim() !== '' && !isWebAddress(url.trim()) && { url: words.urlInvalid }),
  }
}

/** Confirms, sends, and shows the outcome. */
export function useSending(draft: MessageDraft, read: ReadParams) {
  const text = useMerchantWechatText()
  const [asking, setAsking] = useState(false)
  const [tried, setTried] = useState(false)
  const { mutate, isPending, error, sent, forget } = useCall(draft, read.params, () => setAsking(false))
  const faults = faultsOf(draft, text.message)
  const press = () => {
    if (read.broken) return showToast('bad', text.jsonBroken)
    setTried(true)
    if (Object.keys(faults).length > 0) return
    if (read.faults.some(({ weight }) => weight === 'broken')) return showToast('bad', text.message.paramsInvalid)
    setAsking(true)
  }
  const concernsUser = error instanceof CallError && aboutUser.includes(error.code)
  const wrong: ReturnType<typeof faultsOf> = {
    ...(tried && faults),
    ...(concernsUser && { user: error.message }),
  }
  const asked = { asking, busy: isPending, go: () => mutate(), cancel: () => setAsking(false) }
  return { ...asked, press, forget, sent, wrong, error: concernsUser ? null : error }
}

export interface Sent {
  msgid: string
  /** WeChat sends the same message once in ten minutes, and gives it the same number. */
  again: boolean
}

function useCall({ receiver, templateId, url }: MessageDraft, params: Record<string, string>, onSettled: () => void) {
  const text = useMerchantWechatText().message
  const known = useRef(new Set<string>())
  const askCheck = useAskCheck()
  const [sent, setSent] = useState<Sent>()
  const userId = receiver.picked?.id ?? receiver.typed.trim()
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: () => sendMessage({ userId, templateId, url: url.trim(), params }),
    onSuccess: ({ msgid }) => {
      setSent({ msgid, again: known.current.has(msgid) })
      known.current.add(msgid)
      showToast('good', text.sent)
    },
    onError: (failure) => {
      setSent(undefined)
      if (isCheckOwed(failure)) askCheck()
      else showToast('bad', failure.message)
    },
    onSettled,
  })
  const forget = () => {
    reset()
    setSent(undefined)
  }
  return { mutate, isPending, error, sent, forget }
}
