import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import { readError, refuseUrl, requestPublic } from '../public-request.ts'

export interface WebhookMessage {
  url: string
  /** `whsec_` and base64; two while one is rotated. */
  secrets: string[]
  /** Stays the same for every retry, so that duplicates are recognisable. */
  id: string
  body: string
}

/** What came of a try: the status of the answer, or why there was none. */
export interface Tried {
  status?: number
  failure?: string
  /** The beginning of the body. */
  answer?: string
  durationMs: number
}

const answerMost = 2_048

/** Standard Webhooks 1.0. */
function webhookSignature(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}

/** The beginning of a body: an endless one is not read. */
async function readAnswer(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part)
    length += part.length
    if (length >= answerMost) break
  }
  // PostgreSQL stores no NUL.
  return Buffer.concat(parts).subarray(0, answerMost).toString('utf8').replaceAll('\0', '')
}

export interface WebhookNeeds {
  clock: Pick<Clock, 'now'>
  config: { insecureHttp: boolean }
  webhookTimeoutMs?: number
}

/** Sends once. Never throws, follows no redirect, and connects to public addresses alone. */
export async function sendEvent(
  { clock, config: { insecureHttp }, webhookTimeoutMs: timeoutMs = 10_000 }: WebhookNeeds,
  { url: address, secrets, id, body }: WebhookMessage,
): Promise<Tried> {
  const began = performance.now()
  const done = (tried: Omit<Tried, 'durationMs'>) => ({ ...tried, durationMs: Math.round(performance.now() - began) })
  const url = new URL(address)
  const refusal = refuseUrl(url, { insecureHttp })
  if (refusal) return done({ failure: reasonOf(refusal) })
  const seconds = Math.floor(clock.now() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => webhookSignature(secret, id, seconds, body)).join(' '),
  }
  try {
    const response = await requestPublic(url, { method: 'POST', headers, body, timeoutMs, insecureHttp })
    const { statusCode: status = 0 } = response
    // A status counts although its body is cut off.
    const answer = await readAnswer(response).catch(() => '')
    response.destroy()
    return done({ status, answer })
  } catch (error) {
    return done({ failure: reasonOf(readError(error as Error)) })
  }
}

const reasonOf = (outcome: ReturnType<typeof readError>): string =>
  outcome.kind === 'refused' ? outcome.code : outcome.kind === 'unknown' ? outcome.reason : 'UNKNOWN'
