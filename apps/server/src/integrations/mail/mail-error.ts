import { neverConnected } from '../network-error.ts'
import { type Outcome, refused, unknown, unreachable } from '../outcome.ts'
import { NotPublic } from '../public-address.ts'

interface MailError extends Error {
  code?: string
  responseCode?: number
  timeoutType?: string
}

const beforeTheMessage = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT']

/** A reply of the server and a failed connection are definite; anything that broke later is not. */
export function readMailError(error: MailError): Outcome {
  if (error instanceof NotPublic) return refused('NOT_PUBLIC', 'an address of ours, and not in HUFU_MAIL_NETWORKS')
  const { code = 'FAILED', responseCode, timeoutType } = error
  if (responseCode !== undefined) return refused(`SMTP_${responseCode}`, error.message)
  if (code === 'EENVELOPE' || code === 'EAUTH' || code === 'ECONFIG') return refused(code, error.message)
  const early = code === 'EDNS' || code === 'ETLS' || beforeTheMessage.includes(timeoutType ?? '')
  if (early || neverConnected(error)) return refused(unreachable, timeoutType ?? code)
  return unknown(timeoutType ?? code)
}
