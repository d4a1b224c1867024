import { create } from 'zustand'

/** A receiver that a code was asked for here. Both times are epoch milliseconds. */
export interface SentCode {
  receiver: string
  /** No further send before. */
  until: number
  /** The code works as long; 0 when none was sent or it has been used. */
  expires: number
}

const storageKey = 'sent_codes'
const life = 5 * 60_000

function isSentCode(value: unknown): value is SentCode {
  const { receiver, until, expires } = (value ?? {}) as Record<string, unknown>
  return typeof receiver === 'string' && typeof until === 'number' && typeof expires === 'number'
}

function read(): SentCode[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isSentCode) : []
  } catch {
    return []
  }
}

/** Survives a reload, but not the tab: the receivers are people's numbers. The newest stands last. */
export const useSentCodes = create<{ codes: SentCode[] }>(() => ({ codes: read() }))

function keep(code: SentCode) {
  const others = useSentCodes.getState().codes.filter(({ receiver, until, expires }) => {
    return receiver !== code.receiver && Math.max(until, expires) > Date.now()
  })
  const codes = [...others, code]
  useSentCodes.setState({ codes })
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(codes))
  } catch {
    // The countdown still holds until the page is closed.
  }
}

export const sentTo = (codes: SentCode[], receiver: string) => codes.find((code) => code.receiver === receiver)

const known = (receiver: string) => sentTo(useSentCodes.getState().codes, receiver)

/** A code is on its way; the next may be asked for after so many seconds. */
export function noteSent(receiver: string, retryAfter: number) {
  keep({ receiver, until: Date.now() + retryAfter * 1000, expires: Date.now() + life })
}

/** The server sends nothing for so many seconds; a code sent before still works. */
export function noteRefused(receiver: string, retryAfter: number) {
  keep({ receiver, until: Date.now() + retryAfter * 1000, expires: known(receiver)?.expires ?? 0 })
}

/** The code has done its work or is lost; the countdown goes on. */
export function noteUsed(receiver: string) {
  const code = known(receiver)
  if (code) keep({ ...code, expires: 0 })
}

export const isLive = (code: SentCode | undefined): code is SentCode => code !== undefined && code.expires > Date.now()

/** Whom a still working code was sent to last. */
export function lastReceiver(): string | undefined {
  return useSentCodes.getState().codes.filter(isLive).at(-1)?.receiver
}
