import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Breaker } from '../breaker.ts'
import { type Outcome, refused, unknown, unreachable } from '../outcome.ts'
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

interface Delivery extends Pick<Webhook, 'url' | 'delivery' | 'body'> {
  headers(): Record<string, string>
}

/** Never throws, follows no redirect and reads nothing but the status. */
async function deliver(deps: WebhookDeps, { url: address, delivery, headers, body }: Delivery): Promise<Outcome> {
  const url = new URL(address)
  const { config, webhookTimeoutMs: timeoutMs = 5_000 } = deps
  const refusal = refuseUrl(url, config)
  if (refusal) return refusal
  async function post(): Promise<number> {
    const { insecureHttp } = config
    const response = await requestPublic(url, { method: 'POST', headers: headers(), body, timeoutMs, insecureHttp })
    response.destroy()
    return response.statusCode ?? 0
  }
  return await deps.breaker.run(`webhook/${url.host}`, () =>
    post().then((status) => readStatus(status, delivery), readError),
  )
}

/** Notifies another site's server once. */
export function sendWebhook(deps: WebhookDeps, { client, secret, ...webhook }: Webhook): Promise<Outcome> {
  const headers = () => ({
    'content-type': 'application/json',
    'hufu-client': client,
    'hufu-delivery': webhook.delivery,
    'hufu-signature': signatureOf(secret, Math.floor(deps.clock.now() / 1000), webhook.body),
  })
  return deliver(deps, { ...webhook, headers })
}

export interface LogoutToken extends Pick<Webhook, 'url' | 'delivery'> {
  token: string
}

/** OpenID Connect Back-Channel Logout: the token is the proof that it is from us. */
export function sendLogoutToken(deps: WebhookDeps, { token, ...delivery }: LogoutToken): Promise<Outcome> {
  const headers = () => ({ 'content-type': 'application/x-www-form-urlencoded' })
  return deliver(deps, { ...delivery, headers, body: new URLSearchParams({ logout_token: token }).toString() })
}

/** Statuses after which a retry may succeed. */
const later = [408, 425, 429]

function readStatus(status: number, delivery: string): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent', id: delivery }
  return status >= 500 || later.includes(status) ? unknown(`HTTP_${status}`) : refused(`HTTP_${status}`, 'refused')
}

const passes = (answer: string) => answer === unreachable || answer.startsWith('BREAKER_')

/** A refusal that a retry wouldn't change; the circuit breaker's is not one. */
export const isFinal = (outcome: Outcome): boolean => outcome.kind === 'refused' && !passes(outcome.code)
