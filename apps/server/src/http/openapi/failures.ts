import type { Access, Endpoint } from '@hufu/contract/endpoint'
import { type ErrorCode, errors } from '@hufu/contract/errors'
import { refTo, type Schema } from './schemas.ts'

/** Of every answer under /api/, before and around any call. */
const everywhere: ErrorCode[] = ['SITE_UNKNOWN', 'SITE_DISABLED', 'SERVICE_BUSY', 'INTERNAL_ERROR']
const ofSession: ErrorCode[] = ['NOT_LOGGED_IN', 'SESSION_REMOVED']
const ofOperator: ErrorCode[] = [...ofSession, 'FORBIDDEN', 'FACTOR_ENROL_REQUIRED', 'TWO_FACTOR_REQUIRED']

/** What the guard answers to callers without access. */
const ofAccess: Record<Access, ErrorCode[]> = {
  public: [],
  user: ofSession,
  merchantRead: ofOperator,
  merchantWrite: ofOperator,
  merchantAdmin: ofOperator,
  client: ['CLIENT_REFUSED'],
  machine: ['TOKEN_INVALID', 'SCOPE_MISSING'],
}

type Guarded = Pick<Endpoint, 'access' | 'stepUp'> & { limit?: Endpoint['limit']; fromHere: boolean }

/** The refusals that follow from how a route is guarded. */
export const guardCodes = ({ access, stepUp, limit, fromHere }: Guarded): ErrorCode[] => [
  ...everywhere,
  ...ofAccess[access],
  ...(stepUp ? (['TWO_FACTOR_REQUIRED'] as const) : []),
  ...(limit ? (['TOO_MANY_REQUESTS'] as const) : []),
  ...(fromHere ? (['ORIGIN_REFUSED'] as const) : []),
]

const ofJson: ErrorCode[] = ['INPUT_INVALID', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const ofChange: ErrorCode[] = ['REQUEST_RUNNING', 'KEY_REUSED']
const ofUpload: ErrorCode[] = ['INPUT_INVALID', 'IMAGE_INVALID', 'IMAGE_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** Every code that a call can answer: those of its guard and its body, and its own. */
export const codesOf = (endpoint: Endpoint): ErrorCode[] => [
  ...guardCodes({ ...endpoint, fromHere: needsOrigin(endpoint) }),
  ...(endpoint.upload ? ofUpload : endpoint.method === 'POST' ? ofJson : (['INPUT_INVALID'] as const)),
  ...(endpoint.changes ? ofChange : []),
  ...(endpoint.changes && endpoint.tagged ? (['RESOURCE_CHANGED'] as const) : []),
  ...(endpoint.errors ?? []),
]

/** Whether only the site's own pages may call. */
export const needsOrigin = ({ harmless, access }: Endpoint): boolean =>
  !harmless && access !== 'client' && access !== 'machine'

const retry = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

function response(status: number, codes: ErrorCode[]): Schema {
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}.`,
    ...((status === 429 || status === 503) && { headers: retry }),
    content: {
      'application/json': {
        schema: refTo('Failure'),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

/** The failures of a call by their status, in the order of the statuses. */
export function failureResponses(codes: ErrorCode[]): Record<string, Schema> {
  const byStatus = Map.groupBy(new Set(codes), (code) => errors[code].status)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(sorted.map(([status, its]) => [status, response(status, its)]))
}

/** Of whatever has a query: Node.js refuses it by itself. */
export const longAddress: Record<string, Schema> = { 431: { description: 'Address and headers are too long: 16 KB.' } }

/** The table of codes, as examples that the responses refer to. */
export const failureExamples = (): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(errors).map(([code, { status, message }]) => [
      code,
      { summary: `${status} ${code}`, value: { code, message } },
    ]),
  )

export const failureSchemas: Record<string, Schema> = {
  ErrorCode: { type: 'string', enum: Object.keys(errors), description: 'Stable; new codes may be added.' },
  Failure: {
    type: 'object',
    description: 'The body of every failure under /api/.',
    required: ['code', 'message'],
    properties: {
      code: refTo('ErrorCode'),
      message: { type: 'string', description: 'A sentence for the user, in Chinese.' },
      details: {
        type: 'object',
        additionalProperties: true,
        description:
          '`field` of INPUT_INVALID, `retryAfter` (seconds) of refusals for a time, and what else the call describes.',
      },
    },
  },
}
