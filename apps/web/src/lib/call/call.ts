import type { InputOf, OutputOf } from '@hufu/contract/endpoint'
import type { EndpointAt } from '@hufu/contract/endpoints'

type Path = keyof EndpointAt

/** What the call of a path takes. */
export type CallInput<P extends Path> = InputOf<EndpointAt[P]>

export interface CallOptions {
  language?: string
  timezone?: string
  /** A replacement for fetch. */
  send?: (path: string, request: Request) => Promise<Answer | undefined>
  /** The request survives leaving the page. */
  keepalive?: boolean
}

/**
 * Their answers renew the session: a page that is left before they arrive would keep the former cookie, which is no
 * longer valid, so these requests outlive their page.
 */
const renewing = /^\/api\/user\/(account|factor|twoFactor)\//

export const networkError = { code: 'NETWORK_ERROR', message: '网络异常，请稍后再试' }
export const patience = 30_000

/** A failed call with the server's error; NETWORK_ERROR when there was no usable response. */
export class CallError extends Error {
  override name = 'CallError'
  readonly code: string
  readonly details: Record<string, unknown> | undefined
  readonly status: number | undefined

  constructor(code: string, message: string, details?: Record<string, unknown>, status?: number) {
    super(message)
    this.code = code
    this.details = details
    this.status = status
  }
}

function multipart(payload: Record<string, unknown>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(payload)) {
    if (value instanceof Blob) form.append(name, value)
    else if (typeof value === 'object') form.append(name, JSON.stringify(value))
    else if (value !== undefined) form.append(name, String(value))
  }
  return form
}

export interface Request extends RequestInit {
  headers: Record<string, string>
  body: FormData | string
}

function requestOf(
  path: Path,
  payload: Record<string, unknown>,
  { language, timezone, keepalive = renewing.test(path) }: CallOptions,
): Request {
  const headers: Record<string, string> = {}
  if (language) headers['Accept-Language'] = language
  if (timezone) headers['hufu-timezone'] = timezone
  const request = { method: 'POST', credentials: 'same-origin' as const, keepalive, headers }
  if (Object.values(payload).some((value) => value instanceof Blob)) return { ...request, body: multipart(payload) }
  headers['Content-Type'] = 'application/json'
  return { ...request, body: JSON.stringify(payload) }
}

export interface Answer {
  ok: boolean
  status: number
  body: unknown
}

/** Status and body, or undefined without a JSON response before the timeout. */
async function ask(path: string, request: Request): Promise<Answer | undefined> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), patience)
  try {
    const response = await fetch(path, { ...request, signal: abort.signal })
    const body: unknown = await response.json()
    return { ok: response.ok, status: response.status, body }
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

type Listener = (failure: CallError) => void
const listeners = new Set<Listener>()

/** Subscribes to every failed call: a session may end under any of them. Returns a function that unsubscribes. */
export function onCallFailure(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function failureOf({ body, status }: Partial<Answer> = {}): CallError {
  const { code, message, details } = (body ?? {}) as Record<string, unknown>
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new CallError(networkError.code, networkError.message, undefined, status)
  }
  return new CallError(code, message, details as Record<string, unknown> | undefined, status)
}

/** The only way to call the server. Returns the data of a success, throws CallError otherwise, never touches the UI. */
export async function call<P extends Path>(
  path: P,
  payload?: CallInput<P>,
  options: CallOptions = {},
): Promise<OutputOf<EndpointAt[P]>> {
  const request = requestOf(path, { ...payload }, options)
  const answer = await (options.send ?? ask)(path, request)
  const body = (typeof answer?.body === 'object' && answer.body) || {}
  if (answer?.ok && 'data' in body) return body.data as OutputOf<EndpointAt[P]>
  const failure = failureOf(answer)
  for (const listener of listeners) listener(failure)
  throw failure
}
