import { CallError } from '../../lib/call/call.ts'
import { retryAfter } from '../../lib/call/failure.ts'
import { codeOf } from './protection.api.ts'
import { useProtectionText } from './protection.text.ts'

/** The server's error in words; a wrong code in those of the page that asked for it. */
export function useFailureWords() {
  const text = useProtectionText()
  return (error: unknown, wrong?: string): string | undefined => {
    if (error === undefined || error === null) return undefined
    const code = codeOf(error)
    if (wrong && code === 'FACTOR_WRONG') return wrong
    // It was given before: it has expired meanwhile.
    if (code === 'ENROLMENT_REQUIRED') return text.enrolment.wrong
    const wait = retryAfter(error)
    if (code === 'FACTOR_PAUSED' && wait) return text.paused(Math.ceil(wait / 60))
    return error instanceof CallError ? error.message : String(error)
  }
}
