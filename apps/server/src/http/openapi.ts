import type { Endpoint } from '@hufu/contract/endpoint'
import { endpoints, navigations } from '@hufu/contract/endpoints'
import { errors } from '@hufu/contract/errors'
import type { Navigation } from '@hufu/contract/navigation'
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

function operation(endpoint: Endpoint): object {
  return {
    summary: endpoint.summary,
    operationId: endpoint.path.slice('/api/'.length).replaceAll('/', '.'),
    tags: [endpoint.path.split('/')[2]],
    'x-access': endpoint.access,
    ...(endpoint.stepUp && { 'x-step-up': true }),
    ...(endpoint.limit && { 'x-limit': endpoint.limit }),
    ...(!['public', 'client'].includes(endpoint.access) && { security: [{ session: [] }] }),
    requestBody: requestBody(endpoint),
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

/** The contract as an OpenAPI 3.1 document. */
function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Hufu', version: '0.1.0', description: 'Account centre with a merchant back-office.' },
    servers: [{ url: '/' }],
    paths: Object.fromEntries([
      ...endpoints.map((endpoint) => [endpoint.path, { post: operation(endpoint) }]),
      ...navigations.map((navigation) => [navigation.path, { get: leading(navigation) }]),
    ]),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-hufu' },
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
