import { neverConnected } from '../network-error.ts'
import { type Outcome, refused, unknown, unreachable } from '../outcome.ts'
import type { SmsAnswer, SmsRequest } from './gateway.ts'

/** Makes one request and says for certain only what is certain. Never throws and never repeats it. */
export async function post(
  { url, headers, body }: SmsRequest,
  timeoutMs: number,
  read: (answer: SmsAnswer) => Outcome,
): Promise<Outcome> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body: body ?? null, redirect: 'manual', signal })
    const text = await response.text()
    if (response.status >= 500) return unknown(`HTTP_${response.status}`)
    return read({ status: response.status, json: parse(text) })
  } catch (error) {
    return failure(error)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failure(error: unknown): Outcome {
  if (!(error instanceof Error)) return unknown('FAILED')
  if (error.name === 'TimeoutError') return unknown('TIMEOUT')
  const cause: Error & { code?: string } = error.cause instanceof Error ? error.cause : error
  const code = cause.code ?? cause.name
  return neverConnected(cause) ? refused(unreachable, code) : unknown(code)
}
