import { type Endpoint, nothing, pathFields } from '@hufu/contract/endpoint'
import type { CallExample } from '@hufu/contract/examples/example'
import type { z } from 'zod'
import type { Schema, Schemas } from './schemas.ts'

/** The operation's name as the name of a type. */
export const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

interface Fields {
  properties: Record<string, Schema>
  required: string[]
}

interface Input {
  parameters?: object[]
  requestBody?: { required: boolean; content: Record<string, object> }
}

const upload: Schema = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
}

const fieldsOf = (input: z.ZodType, schemas: Schemas): Fields => {
  const { properties = {}, required = [] } = schemas.resolve(schemas.of(input, 'input')) as Partial<Fields>
  return { properties, required }
}

/** The fields of an address, in the query or in the path. */
export const parametersOf = (input: z.ZodType, schemas: Schemas, path = ''): object[] => {
  const { properties, required } = fieldsOf(input, schemas)
  const inPath = pathFields(path)
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: inPath.includes(name) || required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}

const jsonBody = (schema: Schema, required: boolean, example: unknown) => ({
  requestBody: { required, content: { 'application/json': { schema, example } } },
})

/** A call of pages: everything is in the body. */
function bodyOf(name: string, { input }: Endpoint, schemas: Schemas, example: CallExample): Input {
  if (input === nothing || Object.keys(fieldsOf(input, schemas).properties).length === 0) return {}
  const schema = schemas.named(`${pascal(name)}Request`, input, 'input')
  return jsonBody(schema, Array.isArray(schemas.resolve(schema).required), example.input)
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const idempotencyKey = header(
  'Idempotency-Key',
  'A retry with the same key within 24 hours gets the first answer and changes nothing more.',
)
const ifMatch = header('If-Match', 'The ETag that was read: refused with 412 where the resource has changed since.')

/** What a change takes besides the fields of its path. */
function restOf(name: string, { path, input }: Endpoint, schemas: Schemas, example: CallExample): Input {
  const { properties, required } = fieldsOf(input, schemas)
  const inPath = new Set(pathFields(path))
  const rest = (entries: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(entries).filter(([field]) => !inPath.has(field)))
  const left = required.filter((field) => !inPath.has(field))
  if (Object.keys(rest(properties)).length === 0) return {}
  const schema = { type: 'object', properties: rest(properties), ...(left.length > 0 && { required: left }) }
  const named = schemas.add(`${pascal(name)}Request`, schema)
  return jsonBody(named, left.length > 0, rest((example.input ?? {}) as Record<string, unknown>))
}

/** A call of machines: a GET has its fields in the address, a POST those of its path. */
function managedInput(name: string, endpoint: Endpoint, schemas: Schemas, example: CallExample): Input {
  const { path, method, input, changes, tagged } = endpoint
  const addressed = parametersOf(input, schemas, path) as { in: string }[]
  const parameters = [
    ...(method === 'GET' ? addressed : addressed.filter((parameter) => parameter.in === 'path')),
    ...(changes ? [idempotencyKey] : []),
    ...(changes && tagged ? [ifMatch] : []),
  ]
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(method === 'POST' && restOf(name, endpoint, schemas, example)),
  }
}

export function inputOf(name: string, endpoint: Endpoint, schemas: Schemas, example: CallExample): Input {
  if (endpoint.upload) {
    const schema = schemas.add('Upload', upload)
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
  }
  const of = endpoint.access === 'machine' ? managedInput : bodyOf
  return of(name, endpoint, schemas, example)
}
