/**
 * The outcome of a message. Only after `refused` may another channel be tried: then it was certainly not sent. After
 * `unknown` it may have been sent, so it is not retried automatically.
 */
export type Outcome =
  | { kind: 'sent'; id: string }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'unknown'; reason: string }

/** Refused for lack of a connection: nothing was written, and the other side is to blame. */
export const unreachable = 'UNREACHABLE'

export const refused = (code: string, message: string): Extract<Outcome, { kind: 'refused' }> => ({
  kind: 'refused',
  code,
  message: tidy(message),
})
export const unknown = (reason: string): Outcome => ({ kind: 'unknown', reason })

/** Gateways repeat numbers, addresses and codes in their error messages; none of that is passed on. */
function tidy(message: string): string {
  return message
    .slice(0, 500)
    .replace(/[^\s<>"']+@[^\s<>"']+/g, '****')
    .replace(/\d{4,}/g, '****')
    .slice(0, 200)
}
