import type { components } from './api.ts'

/** The codes of this version; a newer server may answer others. */
export type ErrorCode = components['schemas']['ErrorCode']

interface Refusal {
  status: number
  code: string
  message: string
  details?: unknown
  requestId?: string | undefined
}

/** A refusal or failure that the server answered. */
export class HufuError extends Error {
  override readonly name = 'HufuError'
  readonly status: number
  /** Stable: decide by it, never by the message. */
  readonly code: ErrorCode | (string & {})
  readonly details: Readonly<Record<string, unknown>>
  /** Names the request in the server's log. */
  readonly requestId: string | undefined

  constructor({ status, code, message, details, requestId }: Refusal) {
    super(`${code}: ${message}`)
    this.status = status
    this.code = code
    this.details = (details ?? {}) as Record<string, unknown>
    this.requestId = requestId
  }
}

/** Proxies answer with pages of their own. */
export async function errorOf(answer: Response): Promise<HufuError> {
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>
  return new HufuError({
    status: answer.status,
    code: String(body.code ?? body.error ?? `HTTP_${answer.status}`),
    message: String(body.message ?? body.error_description ?? answer.statusText),
    details: body.details,
    requestId: answer.headers.get('x-request-id') ?? undefined,
  })
}
