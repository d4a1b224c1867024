import type { InputOf, OutputOf } from '@hufu/contract/endpoint'
import type { EndpointAt } from '@hufu/contract/endpoints'

type Path = keyof EndpointAt

export interface CallOptions {
  language?: string
  timezone?: string
}

export const networkError = { code: 'NETWORK_ERROR', message: '网络异常，请稍后再试' }
const patience = 30_000

/** A call that failed, with what the server said; NETWORK_ERROR when it said nothing usable. */
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

function requestOf(payload: Record<string, unknown>, { language, timezone }: CallOptions): RequestInit {
  const headers: Record<string, string> = {}
  if (language) headers['Accept-Language'] = language
  if (timezone) headers['hufu-timezone'] = timezone
  const request: RequestInit = { method: 'POST', credentials: 'same-origin', headers }
  if (Object.values(payload).some((value) => value instanceof Blob)) return { ...request, body: multipart(payload) }
  headers['Content-Type'] = 'application/json'
  return { ...request, body: JSON.stringify(payload) }
}

/** Status and body, or undefined when there was no JSON answer in time. */
async function ask(path: string, request: RequestInit) {
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

/** The one way to the server. Answers the data of a success, throws CallError otherwise, never touches the screen. */
export async function call<P extends Path>(
  path: P,
  payload?: InputOf<EndpointAt[P]>,
  options: CallOptions = {},
): Promise<OutputOf<EndpointAt[P]>> {
  const answer = await ask(path, requestOf({ ...payload }, options))
  const body = (typeof answer?.body === 'object' && answer.body) || {}
  if (answer?.ok && 'data' in body) return body.data as OutputOf<EndpointAt[P]>
  const { code, message, details } = body as Record<string, unknown>
  if (typeof code === 'string' && typeof message === 'string') {
    throw new CallError(code, message, details as Record<string, unknown> | undefined, answer?.status)
  }
  throw new CallError(networkError.code, networkError.message, undefined, answer?.status)
}
