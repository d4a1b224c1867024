/**
 * What became of a message. Only after `refused` may another way be tried: then it was certainly not sent.
 * After `unknown` it may have been sent, so nothing sends it again by itself.
 */
export type Outcome =
  | { kind: 'sent'; id: string }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'unknown'; reason: string }

/** A refusal for want of a connection: nothing was written, and the other side is to blame. */
export const unreachable = 'UNREACHABLE'

export const refused = (code: string, message: string): Extract<Outcome, { kind: 'refused' }> => ({
  kind: 'refused',
  code,
  message: tidy(message),
})
export const unknown = (reason: string): Outcome => ({ kind: 'unknown', reason })

/** Gateways repeat numbers, addresses and codes in what they complain about; none of that goes further. */
function tidy(message: string): string {
  return message
    .slice(0, 500)
    .replace(/[^\s<>"']+@[^\s<>"']+/g, '****')
    .replace(/\d{4,}/g, '****')
    .slice(0, 200)
}
