import { createHmac, timingSafeEqual } from 'node:crypto'

/** Older or newer than this is refused: what was recorded can't be sent again later. */
const toleranceSeconds = 300

export type HeaderSource = Headers | Record<string, string | string[] | undefined>

/** A delivery that passed. */
export interface WebhookEvent {
  /** The same in every attempt: handle each once. */
  id: string
  /** When this attempt was signed. */
  sentAt: Date
  type: string
  /** When it happened: ISO 8601 in UTC. */
  timestamp: string
  data: { id: string; changed?: string[]; [field: string]: unknown }
}

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: 'headers' | 'time' | 'signature' | 'body'

  constructor(reason: WebhookError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** For tests. */
export interface VerifyOptions {
  now?: () => number
}

/**
 * Verifies a delivery by Standard Webhooks 1.0. `body` is what arrived, byte for byte, before any JSON parser. Each of
 * the secrets counts: two are valid while one replaces the other.
 */
export function verifyWebhook(
  headers: HeaderSource,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  { now = Date.now }: VerifyOptions = {},
): WebhookEvent {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('headers', 'webhook-timestamp is no number of seconds')
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('time', `the delivery is more than ${toleranceSeconds} s away from now`)
  if (!isSigned(`${id}.${timestamp}.`, body, signatures, secrets))
    throw new WebhookError('signature', 'no signature of the delivery is right')
  return { id, sentAt: new Date(Number(timestamp) * 1000), ...payloadOf(body) }
}

/** Every pair is compared, so that the time doesn't tell which secret is in use. */
function isSigned(head: string, body: string | Uint8Array, signatures: string, secrets: string | readonly string[]) {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(keyOf)
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret')
  const sent = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []))
  const right = keys.map((key) => createHmac('sha256', key).update(head).update(body).digest())
  const matches = right.flatMap((mac) => sent.map((one) => one.length === mac.length && timingSafeEqual(one, mac)))
  return matches.includes(true)
}

function headerOf(headers: HeaderSource, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookError('headers', `${name} is missing`)
  return value
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  // The specification asks for 24 bytes; with an empty key anyone could sign.
  if (!secret.startsWith('whsec_') || key.length < 24) throw new TypeError('a webhook secret begins with whsec_')
  return key
}

function payloadOf(body: string | Uint8Array): Pick<WebhookEvent, 'type' | 'timestamp' | 'data'> {
  try {
    const { type, timestamp, data } = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
    if (typeof type === 'string' && typeof data === 'object' && data !== null) return { type, timestamp, data }
  } catch {
    // Said below.
  }
  throw new WebhookError('body', 'the body is no event')
}
