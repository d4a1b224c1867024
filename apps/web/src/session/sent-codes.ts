import { create } from 'zustand'

/** The purpose of a code; a code for another purpose is not used. */
export type CodePurpose = 'login' | 'changeMobile' | 'authorize' | 'twoFactor' | 'recovery' | 'recoveryMobile' | 'undo'

/** A receiver that a code was asked for here. Both times are epoch milliseconds. */
export interface SentCode {
  receiver: string
  /** Of the newest code. */
  purpose: CodePurpose
  /** No further send before. */
  until: number
  /** The code works as long; 0 when none was sent or it has been used. */
  expires: number
}

const storageKey = 'sent_codes'
const life = 5 * 60_000

function isSentCode(value: unknown): value is SentCode {
  const { receiver, purpose, until, expires } = (value ?? {}) as Record<string, unknown>
  const texts = typeof receiver === 'string' && typeof purpose === 'string'
  return texts && typeof until === 'number' && typeof expires === 'number'
}

function read(): SentCode[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isSentCode) : []
  } catch {
    return []
  }
}

/** Survives a reload, but not the tab: the receivers are users' numbers and addresses. The newest stands last. */
export const useSentCodes = create<{ codes: SentCode[] }>(() => ({ codes: read() }))

function write(codes: SentCode[]) {
  useSentCodes.setState({ codes })
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(codes))
  } catch {
    // The countdown still holds until the page is closed.
  }
}

/** Called at sign-out: the receivers of codes are private to the user. */
export const forgetCodes = () => write([])

function keep(code: SentCode) {
  const others = useSentCodes.getState().codes.filter(({ receiver, until, expires }) => {
    return receiver !== code.receiver && Math.max(until, expires) > Date.now()
  })
  write([...others, code])
}

export const sentTo = (codes: SentCode[], receiver: string) => codes.find((code) => code.receiver === receiver)

const known = (receiver: string) => sentTo(useSentCodes.getState().codes, receiver)

/** A code is on its way; the next may be asked for after so many seconds. */
export function noteSent(receiver: string, purpose: CodePurpose, retryAfter: number) {
  keep({ receiver, purpose, until: Date.now() + retryAfter * 1000, expires: Date.now() + life })
}

/** The server sends nothing for so many seconds; a code sent before still works. */
export function noteRefused(receiver: string, purpose: CodePurpose, retryAfter: number) {
  const before = known(receiver) ?? { receiver, purpose, expires: 0 }
  keep({ ...before, until: Date.now() + retryAfter * 1000 })
}

/** The code has done its work or is lost; the countdown goes on. */
export function noteUsed(receiver: string) {
  const code = known(receiver)
  if (code) keep({ ...code, expires: 0 })
}

const isLive = ({ expires }: SentCode) => expires > Date.now()

/** Whom a still working code of this kind was sent to last. */
export function lastReceiver(purpose: CodePurpose): string | undefined {
  const live = useSentCodes.getState().codes.filter((code) => code.purpose === purpose && isLive(code))
  return live.at(-1)?.receiver
}
