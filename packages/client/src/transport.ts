import { setTimeout as sleep } from 'node:timers/promises'
import { errorOf } from './api-error.ts'
import { createTokens } from './tokens.ts'

export interface ClientOptions {
  /** The address of the account centre, such as `https://account.example.com`. */
  issuer: string
  /** A client of kind `machine`. */
  clientId: string
  clientSecret: string
  /** The scopes to ask for, such as `users:read`: what the client has been given. */
  scopes: readonly string[]
  /** How often a call is tried, the first time included; 5 unless said otherwise. */
  attempts?: number
  /** How long one attempt may take, in milliseconds; 30,000 unless said otherwise. */
  timeout?: number
  /** Instead of the global one: for proxies and tests. */
  fetch?: typeof globalThis.fetch
}

export interface Sending {
  method: 'GET' | 'POST'
  path: string
  body?: string | undefined
  headers: Record<string, string>
  signal?: AbortSignal | undefined
}

/** Refused for load or limits, before any work. */
const refusedForNow = [429, 503]
/** A proxy doesn't know how far the server came. */
const uncertain = [502, 504]
const longestWaitMs = 60_000

/** As the server says, else doubled with each attempt; with jitter, since many clients must not come back at once. */
function waitBefore(attempt: number, answer: Response | undefined): number {
  const told = Number(answer?.headers.get('retry-after') ?? Number.NaN)
  const base = Number.isFinite(told) ? told * 1000 : 250 * 2 ** attempt
  return Math.min(base * (1 + Math.random() / 4), longestWaitMs)
}

/** What changes nothing, or by its key nothing twice. */
const isSafe = ({ method, headers }: Sending) => method === 'GET' || 'idempotency-key' in headers

async function retried(sending: Sending, attempts: number, attempt: () => Promise<Response>): Promise<Response> {
  const safe = isSafe(sending)
  for (let tries = 1; ; tries++) {
    const last = tries >= attempts
    const answer = await attempt().catch((error: unknown) => {
      if (last || !safe || sending.signal?.aborted) throw error
      return undefined
    })
    const again = !answer || refusedForNow.includes(answer.status) || (safe && uncertain.includes(answer.status))
    if (answer && (last || !again)) return answer
    await answer?.body?.cancel()
    await sleep(waitBefore(tries, answer), undefined, sending.signal ? { signal: sending.signal } : {})
  }
}

/** Sends calls with a current token, and again where that is safe. Answers successes alone. */
export function createTransport(options: ClientOptions): (sending: Sending) => Promise<Response> {
  const { attempts = 5, timeout = 30_000, fetch = globalThis.fetch } = options
  const issuer = options.issuer.replace(/\/+$/, '')
  const within = (signal?: AbortSignal) => AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])])
  const tokens = createTokens(options, (body) =>
    retried({ method: 'GET', path: '', headers: {} }, attempts, () =>
      fetch(`${issuer}/oidc/token`, { method: 'POST', body, signal: within() }),
    ),
  )

  async function once({ method, path, body, headers, signal }: Sending): Promise<Response> {
    const authorization = `Bearer ${await tokens.current()}`
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const all = { ...type, ...headers, authorization }
    return await fetch(issuer + path, {
      method,
      headers: all,
      signal: within(signal),
      ...(body !== undefined && { body }),
    })
  }

  return async (sending) => {
    let answer = await retried(sending, attempts, () => once(sending))
    if (answer.status === 401) {
      // Revoked, or its secret was replaced: a new token is tried once.
      await answer.body?.cancel()
      tokens.forget()
      answer = await retried(sending, attempts, () => once(sending))
    }
    if (!answer.ok) throw await errorOf(answer)
    return answer
  }
}
