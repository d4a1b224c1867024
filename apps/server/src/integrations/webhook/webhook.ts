import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Breaker } from '../breaker.ts'
import { type Outcome, refused, unknown } from '../outcome.ts'
import { readError, refuseUrl, requestPublic } from '../public-request.ts'

export interface WebhookDeps {
  breaker: Breaker
  clock: Clock
  config: { insecureHttp: boolean }
  webhookTimeoutMs?: number
}

export interface Webhook {
  url: string
  client: string
  /** The secret shared with the client. */
  secret: string
  /** Stays the same when it is sent again, so that duplicates are recognisable. */
  delivery: string
  body: string
}

/** Proves that a body is ours and when it was sent: the client computes the same and compares. */
export const signatureOf = (secret: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

/** Notifies another site's server once. Never throws, follows no redirect and reads nothing but the status. */
export async function sendWebhook(deps: WebhookDeps, webhook: Webhook): Promise<Outcome> {
  const url = new URL(webhook.url)
  const refusal = refuseUrl(url, deps.config)
  if (refusal) return refusal
  return await deps.breaker.run(`webhook/${url.host}`, () =>
    post(deps, url, webhook).then((status) => readStatus(status, webhook.delivery), readError),
  )
}

async function post({ clock, config, webhookTimeoutMs = 5_000 }: WebhookDeps, url: URL, webhook: Webhook) {
  const { client, secret, delivery, body } = webhook
  const response = await requestPublic(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'hufu-client': client,
      'hufu-delivery': delivery,
      'hufu-signature': signatureOf(secret, Math.floor(clock.now() / 1000), body),
    },
    body,
    timeoutMs: webhookTimeoutMs,
    insecureHttp: config.insecureHttp,
  })
  response.destroy()
  return response.statusCode ?? 0
}

/** Statuses after which a retry may succeed. */
const later = [408, 425, 429]

function readStatus(status: number, delivery: string): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent', id: delivery }
  return status >= 500 || later.includes(status) ? unknown(`HTTP_${status}`) : refused(`HTTP_${status}`, 'refused')
}
