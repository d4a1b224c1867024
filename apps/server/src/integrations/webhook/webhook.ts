import { createHmac } from 'node:crypto'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Clock } from '../../platform/clock.ts'
import type { Breaker } from '../breaker.ts'
import { neverConnected } from '../network-error.ts'
import { type Outcome, refused, unknown, unreachable } from '../outcome.ts'
import { isPublicAddress, NotPublic, publicLookup } from '../public-address.ts'

export interface WebhookDeps {
  breaker: Breaker
  clock: Clock
  config: { insecureHttp: boolean }
  webhookTimeoutMs?: number
}

export interface Webhook {
  url: string
  client: string
  /** What only the client and we know. */
  secret: string
  /** Stays the same when it is sent again, so that a double can be known by it. */
  delivery: string
  body: string
}

/** Proves that a body is ours and when it was sent: the client makes the same and compares. */
export const signatureOf = (secret: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

/** Tells another site's server something, once. Never throws, follows no redirect and reads nothing but the status. */
export async function sendWebhook(deps: WebhookDeps, webhook: Webhook): Promise<Outcome> {
  const url = new URL(webhook.url)
  const refusal = deps.config.insecureHttp ? undefined : refuseUrl(url)
  if (refusal) return refusal
  return await deps.breaker.run(`webhook/${url.host}`, () =>
    post(deps, url, webhook).then((status) => readStatus(status, webhook.delivery), readError),
  )
}

/** Connections are made to public addresses, encrypted; a name is looked at when it is found, an address here. */
function refuseUrl({ protocol, hostname }: URL): Outcome | undefined {
  if (protocol !== 'https:') return refused('NOT_HTTPS', protocol)
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 || isPublicAddress(address) ? undefined : refused('NOT_PUBLIC', 'an address of ours')
}

function post({ clock, config, webhookTimeoutMs = 5_000 }: WebhookDeps, url: URL, webhook: Webhook): Promise<number> {
  const { client, secret, delivery, body } = webhook
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, {
    method: 'POST',
    // A connection of its own: none is shared with what was looked up otherwise.
    agent: false,
    signal: AbortSignal.timeout(webhookTimeoutMs),
    ...(!config.insecureHttp && { lookup: publicLookup }),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'hufu',
      'hufu-client': client,
      'hufu-delivery': delivery,
      'hufu-signature': signatureOf(secret, Math.floor(clock.now() / 1000), body),
    },
  })
  request.on('error', reject)
  request.on('response', (response) => {
    resolve(response.statusCode ?? 0)
    response.destroy()
  })
  request.end(body)
  return promise
}

/** Those who have too much to do, and those who failed, may say otherwise later. */
const later = [408, 425, 429]

function readStatus(status: number, delivery: string): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent', id: delivery }
  return status >= 500 || later.includes(status) ? unknown(`HTTP_${status}`) : refused(`HTTP_${status}`, 'refused')
}

function readError(error: Error & { code?: string }): Outcome {
  if (error instanceof NotPublic) return refused('NOT_PUBLIC', 'an address of ours')
  if (error.name === 'AbortError') return unknown('TIMEOUT')
  return neverConnected(error) ? refused(unreachable, error.code ?? error.name) : unknown(error.code ?? error.name)
}
