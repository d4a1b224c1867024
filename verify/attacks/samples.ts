import type { Endpoint } from '@hufu/contract/endpoint'
import { endpoints, navigations } from '@hufu/contract/endpoints'
import type { Navigation } from '@hufu/contract/navigation'
import { fresh } from '../../apps/server/test/test-app.ts'

const typed: readonly Endpoint[] = endpoints

/** Every call that browsers and clients of tickets make, typed as widely as a sweep needs. */
export const allEndpoints = typed.filter(({ access }) => access !== 'machine')

/** Every call of the management API. */
export const managedEndpoints = typed.filter(({ access }) => access === 'machine')

/** Every browser navigation, as widely. */
export const allNavigations: readonly Navigation[] = navigations

/** Those whose body is JSON: all but uploads. */
export const jsonEndpoints = allEndpoints.filter(({ upload }) => !upload)

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
}

/** Types with a name of their own in place of the references to them. */
function inlined(schema: Schema, named = schema.$defs ?? {}): Schema {
  const name = schema.$ref?.replace('#/$defs/', '')
  const whole = name === undefined ? schema : (named[name] ?? {})
  return JSON.parse(JSON.stringify(whole), (key, value) =>
    key !== '$defs' && typeof value?.$ref === 'string' ? inlined(value, named) : value,
  )
}

const described = (schema: unknown, io: 'input' | 'output'): Schema =>
  inlined((schema as { toJSONSchema(options: object): Schema }).toJSONSchema({ io, unrepresentable: 'any' }))

const schemaOf = (endpoint: Endpoint) => described(endpoint.input, 'input')

const namesIn = (schema: unknown): string[] => Object.keys(described(schema, 'output').properties ?? {})

/** The names of the fields that a call answers with. */
export const answerFieldsOf = ({ output }: Endpoint): string[] => namesIn(output)

/** The names of what a navigation takes in its query. */
export const queryFieldsOf = ({ query }: Navigation): string[] => namesIn(query)

/** What a schema alone can't define, by the field's name. */
const known: Record<string, () => unknown> = {
  types: () => 'user.created',
  mobilePrefix: () => '86',
  mobile: fresh.mobile,
  email: fresh.email,
  username: fresh.username,
  account: fresh.username,
  password: () => 'Wrong#2026x',
  source: () => '/user/feedback',
  // A config is never really saved by a sweep: the site it runs on would be another.
  basedOn: () => 999_999_999,
}

const texts = [
  'text',
  '000000',
  '1',
  '/user',
  '#5374fa',
  'https://www.example.com',
  'https://www.example.com/',
  '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  'a@example.com',
  'abcdefgh',
  'AAAAAAAAAAAAAAAAAAAAAA',
  // What a notice's link carries.
  'A'.repeat(43),
  '203.0.113.7',
  '2026-11-15',
]

function textFor({ pattern, minLength = 0, maxLength = 100_000 }: Schema): string | undefined {
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text))
  return texts.find(fits) ?? ['x'.repeat(minLength)].find(fits)
}

function valueFor(name: string, schema: Schema): unknown {
  const own = known[name]
  if (own) return own()
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return valueFor(name, schema.anyOf[0])
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1
  if (type === 'array') return schema.items ? [valueFor(name, schema.items)] : []
  if (type === 'object') return objectFor(schema)
  if (type === 'null') return null
  return textFor(schema)
}

const objectFor = ({ properties = {} }: Schema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(name, schema)]))

/** Calls that take one of several fields. */
const oneOf: Record<string, () => Record<string, unknown>> = {
  '/api/manage/v1/users/find': () => ({ username: fresh.username() }),
}

/** An input that the call takes, every optional field given. A call whose input can't be guessed is a failure here. */
export function sampleFor(endpoint: Endpoint): Record<string, unknown> {
  const sample = oneOf[endpoint.path]?.() ?? objectFor(schemaOf(endpoint))
  const parsed = endpoint.input.safeParse(sample)
  if (!parsed.success)
    throw new Error(`verify/attacks/samples.ts can't make an input for ${endpoint.path}: ${parsed.error}`)
  return sample
}

/** A body that the call reads, and its type; what an upload carries is no picture. */
export function bodyFor(endpoint: Endpoint): { body: string; headers: Record<string, string> } {
  if (!endpoint.upload) return { body: JSON.stringify(sampleFor(endpoint)), headers: {} }
  return {
    body: '--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\nno picture\r\n--x--\r\n',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  }
}

/** The names of the input's fields, nested ones after a dot. */
export function fieldsOf(endpoint: Endpoint): string[] {
  const walk = (schema: Schema, before: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
      before + name,
      ...walk(inner.items ?? inner, `${before}${name}.`),
    ])
  return walk(schemaOf(endpoint), '')
}

/** The input with one top-level field replaced. */
export const withField = (input: object, field: string, value: unknown): object => ({
  ...input,
  [field.split('.')[0] ?? field]: field.includes('.') ? nest(field.split('.').slice(1), value) : value,
})

const nest = (path: string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
