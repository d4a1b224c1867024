import { type Endpoint, pathFields } from '@hufu/contract/endpoint'
import { endpoints, navigations } from '@hufu/contract/endpoints'
import { errors } from '@hufu/contract/errors'
import { machineScopes } from '@hufu/contract/machine-scopes'
import type { Navigation } from '@hufu/contract/navigation'
import { oidcPaths } from '@hufu/contract/oidc'
import { z } from 'zod'
import type { App } from './app.ts'

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

const json = (schema: object) => ({ 'application/json': { schema } })

const form = { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } }

const requestBody = ({ upload, input }: Endpoint) =>
  upload
    ? { required: true, content: { 'multipart/form-data': { schema: form } } }
    : { required: false, content: json(jsonSchema(input, 'input')) }

/** A path of the management API is shared by its GET and its POST. */
const operationIdOf = ({ path, method, access }: Endpoint) =>
  [
    path.slice('/api/'.length).replaceAll('/', '.').replaceAll(':', ''),
    ...(access === 'machine' ? [method.toLowerCase()] : []),
  ].join('.')

interface ObjectSchema {
  properties?: Record<string, unknown>
  required?: string[]
}

const objectSchema = (schema: z.ZodType) => jsonSchema(schema, 'input') as ObjectSchema

/** The fields of the path, and of a GET also those of the query. */
function parametersOf({ path, method, input }: Endpoint): object[] {
  const { properties = {}, required = [] } = objectSchema(input)
  const inPath = pathFields(path)
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (inPath.includes(name)) return [{ name, in: 'path', required: true, schema }]
    return method === 'GET' ? [{ name, in: 'query', required: required.includes(name), schema }] : []
  })
}

const headerOf = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

/** The input without what the path carries. */
function restOf({ path, input }: Endpoint): object {
  const { properties = {}, required = [], ...rest } = objectSchema(input)
  const inBody = (name: string) => !pathFields(path).includes(name)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => inBody(name))),
    required: required.filter(inBody),
  }
}

function inputOf(endpoint: Endpoint): object {
  if (endpoint.access !== 'machine') return { requestBody: requestBody(endpoint) }
  const headers = [
    ...(endpoint.changes
      ? [headerOf('Idempotency-Key', 'A retry with the same key gets the first answer, for 24 hours.')]
      : []),
    ...(endpoint.changes && endpoint.tagged
      ? [headerOf('If-Match', 'The ETag that was read: 412 where the resource has changed since.')]
      : []),
  ]
  return {
    parameters: [...parametersOf(endpoint), ...headers],
    ...(endpoint.method === 'POST' && { requestBody: { required: false, content: json(restOf(endpoint)) } }),
  }
}

function securityOf({ access, scope }: Endpoint): object {
  if (access === 'machine') return { security: [{ machine: [scope] }] }
  return ['public', 'client'].includes(access) ? {} : { security: [{ session: [] }] }
}

function operation(endpoint: Endpoint): object {
  return {
    summary: endpoint.summary,
    operationId: operationIdOf(endpoint),
    tags: [endpoint.path.split('/')[2]],
    'x-access': endpoint.access,
    ...(endpoint.stepUp && { 'x-step-up': true }),
    ...(endpoint.limit && { 'x-limit': endpoint.limit }),
    ...securityOf(endpoint),
    ...inputOf(endpoint),
    responses: {
      200: {
        description: 'Done.',
        content: json({
          type: 'object',
          required: ['data'],
          properties: { data: jsonSchema(endpoint.output, 'output') },
        }),
      },
      default: { description: 'Refused or failed.', content: json({ $ref: '#/components/schemas/Failure' }) },
    },
  }
}

function leading({ path, summary, limit, query }: Navigation): object {
  const { properties = {}, required = [] } = jsonSchema(query, 'input')
  return {
    summary,
    operationId: path.slice('/api/'.length).replaceAll('/', '.'),
    tags: [path.split('/')[2]],
    'x-access': 'navigation',
    'x-limit': limit,
    parameters: Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
    responses: { 302: { description: 'Always: to where the browser goes next.' } },
  }
}

const callsByPath = () => Map.groupBy(endpoints as readonly Endpoint[], ({ path }) => path.replace(/:(\w+)/g, '{$1}'))

/** The contract as an OpenAPI 3.1 document. */
function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Hufu', version: '0.1.0', description: 'Account centre with a merchant back-office.' },
    servers: [{ url: '/' }],
    paths: Object.fromEntries([
      ...[...callsByPath()].map(([path, calls]) => [
        path,
        Object.fromEntries(calls.map((call) => [call.method.toLowerCase(), operation(call)])),
      ]),
      ...navigations.map((navigation) => [navigation.path, { get: leading(navigation) }]),
    ]),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-hufu' },
        machine: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: oidcPaths.token,
              scopes: Object.fromEntries(machineScopes.map((scope) => [scope, scope])),
            },
          },
        },
      },
      schemas: {
        Failure: {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            code: { type: 'string', enum: Object.keys(errors) },
            message: { type: 'string', description: 'A sentence for the user, in Chinese.' },
            details: { type: 'object', additionalProperties: true },
          },
        },
      },
    },
  }
}

export function serveOpenApi(app: App): void {
  const body = JSON.stringify(openApiDocument())
  app.get('/api/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
}
