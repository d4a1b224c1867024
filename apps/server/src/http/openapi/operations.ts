import type { Endpoint, Limit } from '@hufu/contract/endpoint'
import type { ErrorCode } from '@hufu/contract/errors'
import type { CallExample } from '@hufu/contract/examples/example'
import type { ServedFile } from '@hufu/contract/files'
import type { Navigation } from '@hufu/contract/navigation'
import { codesOf, failureResponses, guardCodes, longAddress, needsOrigin } from './failures.ts'
import { inputOf, parametersOf, pascal } from './inputs.ts'
import type { Schema, Schemas } from './schemas.ts'
import { securityOf } from './security.ts'
import { tagOf } from './tags.ts'

const accessTexts: Record<Endpoint['access'], string> = {
  public: 'Public.',
  user: 'For signed-in users.',
  merchantRead: 'For operators (READ) with a second factor.',
  merchantWrite: 'For operators (READ and WRITE) with a second factor.',
  merchantAdmin: 'For operators (READ and ADMIN) with a second factor.',
  client: "For a client's server, by the id and secret in its body.",
  machine: 'For clients of kind `machine`, by a token of their own.',
}

const limitText = ({ calls, seconds }: Limit, who = 'IP address') =>
  `At most ${calls} calls in ${seconds} s from one ${who}.`

function descriptionOf(route: Pick<Endpoint, 'summary' | 'access' | 'stepUp' | 'scope'> & { limit?: Limit }): string {
  const parts = [route.summary, accessTexts[route.access]]
  if (route.stepUp) parts.push('Needs a step-up within the last minutes (`/api/user/twoFactor/verify`).')
  if (route.scope) parts.push(`Needs the scope \`${route.scope}\`.`)
  if (route.limit) parts.push(limitText(route.limit, route.access === 'machine' ? 'client' : undefined))
  return parts.join('\n\n')
}

const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

/** The state of the limit, and the tag of what was read. */
const managedHeaders = ({ tagged, changes }: Endpoint) => ({
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
  ...(tagged && !changes && { ETag: { $ref: '#/components/headers/ETag' } }),
})

function answerOf(name: string, endpoint: Endpoint, schemas: Schemas, example: CallExample): object {
  const schema = schemas.add(`${pascal(name)}Response`, {
    type: 'object',
    required: ['data'],
    properties: { data: schemas.of(endpoint.output, 'output') },
  })
  return {
    description: 'Done.',
    headers: { ...headers, ...(endpoint.access === 'machine' && managedHeaders(endpoint)) },
    content: { 'application/json': { schema, example: { data: example.output } } },
  }
}

export function callOperation(name: string, endpoint: Endpoint, schemas: Schemas, example: CallExample): object {
  const { path, summary, access, scope, stepUp, limit } = endpoint
  return {
    operationId: name,
    summary,
    description: descriptionOf(endpoint),
    tags: [tagOf(path)],
    security: securityOf(access, needsOrigin(endpoint), scope),
    ...inputOf(name, endpoint, schemas, example),
    responses: {
      200: answerOf(name, endpoint, schemas, example),
      ...failureResponses(codesOf(endpoint)),
      ...(endpoint.method === 'GET' && longAddress),
    },
    'x-access': access,
    ...(stepUp && { 'x-step-up': true }),
    ...(limit && { 'x-limit': limit }),
  }
}

const ofNavigation: ErrorCode[] = ['SITE_UNKNOWN', 'SITE_DISABLED', 'SERVICE_BUSY', 'INTERNAL_ERROR']

export function navigationOperation(name: string, navigation: Navigation, schemas: Schemas): object {
  const { path, summary, limit, query, home } = navigation
  return {
    operationId: name,
    summary,
    description: `${summary}\n\nA navigation of the browser: it always ends in a redirect, and the page \`${home}\` shows a failure. ${limitText(limit)}`,
    tags: [tagOf(path)],
    security: [],
    parameters: parametersOf(query, schemas),
    responses: {
      302: {
        description: 'To where the browser goes next.',
        headers: { Location: { required: true, schema: { type: 'string' } } },
      },
      ...failureResponses(ofNavigation),
      ...longAddress,
    },
    'x-access': 'navigation',
    'x-limit': limit,
  }
}

const bodies: Record<ServedFile['type'], Schema> = {
  'image/webp': {},
  'image/*': {},
  'application/zip': {},
  'text/csv': { schema: { type: 'string' } },
  'text/event-stream': {
    schema: { type: 'string' },
    example: 'retry: 2000\n\ndata: {"conversation":"7d0a3c5e-91b4-4a7e-8f52-6f1f0c2d4e10","seq":12}\n\n',
  },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the copy that the caller has.',
  schema: { type: 'string' },
}

export function fileOperation(name: string, file: ServedFile, schemas: Schemas): object {
  const { path, summary, access, stepUp, limit, fromHere, tagged, query, type, errors } = file
  return {
    operationId: name,
    summary,
    description: descriptionOf(file),
    tags: [tagOf(path)],
    security: securityOf(access, fromHere),
    parameters: [...parametersOf(query, schemas), ...(tagged ? [ifNoneMatch] : [])],
    responses: {
      200: { description: 'The file.', headers, content: { [type]: bodies[type] } },
      ...(tagged && { 304: { description: 'The copy that the caller has is current.' } }),
      ...failureResponses([...guardCodes(file), ...errors]),
      ...longAddress,
    },
    'x-access': access,
    ...(stepUp && { 'x-step-up': true }),
    ...(limit && { 'x-limit': limit }),
  }
}
