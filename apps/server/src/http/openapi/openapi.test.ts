import { type Endpoint, nothing, pathFields } from '@hufu/contract/endpoint'
import { calls, endpoints, leads, navigations } from '@hufu/contract/endpoints'
import { errors } from '@hufu/contract/errors'
import type { CallExample } from '@hufu/contract/examples/example'
import { examples } from '@hufu/contract/examples/examples'
import { servedFiles } from '@hufu/contract/files'
import { oidcRoutes } from '@hufu/contract/oidc'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import { version } from '../../version.ts'

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, { example?: unknown; examples?: object }> }
  >
}

interface Schema {
  $ref?: string
  required?: string[]
  properties?: Record<string, Schema>
}

interface Document {
  openapi: string
  info: { version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<'schemas' | 'examples' | 'securitySchemes' | 'headers', Record<string, Schema>>
}

let t: TestApp
let document: Document
beforeAll(async () => {
  t = await startTestApp()
  const site = await t.site()
  document = (await t.app.inject({ url: '/api/openapi.json', headers: { host: site.host } })).json()
})
afterAll(() => t.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation, at: `${method} ${path}` })),
  )
const found = (name: string) => {
  const operation = operations().find(({ operation }) => operation.operationId === name)
  if (!operation) throw new Error(`no operation ${name}`)
  return operation
}
const allCalls = Object.entries<Endpoint>(calls)
const inBraces = (path: string) => path.replace(/:(\w+)/g, '{$1}')

test('D450 the OpenAPI document passes a validator and lists every route under /api/ and of the provider, of this release', async () => {
  expect(document.openapi).toBe('3.1.0')
  const result = await new Validator().validate(document as unknown as Record<string, unknown>)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  const routes = [...endpoints, ...navigations, ...Object.values(servedFiles), ...oidcRoutes]
  expect(Object.keys(document.paths).sort()).toEqual([...new Set(routes.map(({ path }) => inBraces(path)))].sort())
  expect(document.info.version).toBe(version)
})

test('D450 every operation has the name of the contract, once, a tag with a description, and a text', () => {
  const names = operations().map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(
    expect.arrayContaining([...Object.keys(calls), ...Object.keys(leads), ...Object.keys(servedFiles)]),
  )
  const tags = document.tags.map(({ name }) => name)
  for (const { operation, at } of operations()) {
    expect(operation.operationId, at).toMatch(/^[a-z][A-Za-z]+$/)
    expect(operation.tags.length, at).toBe(1)
    expect(tags, at).toEqual(expect.arrayContaining(operation.tags))
    expect(operation.summary, at).toMatch(/\.$/)
    expect(operation.description, at).toContain(operation.summary)
    expect(operation.security, at).toBeInstanceOf(Array)
  }
  for (const { name, description } of document.tags) expect(description, name).toMatch(/\.$/)
})

test('D451 every reference leads somewhere, every named schema is used, and no type stands twice in the document', () => {
  const text = JSON.stringify(document)
  const used = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path))
  for (const path of used) {
    const target = path
      .split('/')
      .reduce<unknown>((inside, key) => (inside as Record<string, unknown>)?.[key], document)
    expect(target, path).toBeDefined()
  }
  for (const [kind, named] of Object.entries(document.components))
    if (kind === 'schemas')
      for (const name of Object.keys(named)) expect(used, name).toContain(`components/schemas/${name}`)
  const seen = new Map<string, string>()
  const twice: string[] = []
  const walk = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties, required } = schema as Schema
    // Two fields may well be the same by chance.
    if (properties && Object.keys(properties).length > 2) {
      const same = seen.get(JSON.stringify([properties, required]))
      if (same) twice.push(`${at} = ${same}`)
      seen.set(JSON.stringify([properties, required]), at)
    }
    for (const [key, inside] of Object.entries(schema)) walk(inside, `${at}.${key}`)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name)
  expect(twice).toEqual([])
})

test('D452 a body is required where a field is, and absent where the call takes none', () => {
  for (const [name, endpoint] of allCalls.filter(([, { access }]) => access !== 'machine')) {
    const { requestBody } = found(name).operation
    if (endpoint.input === nothing) expect(requestBody, name).toBeUndefined()
    else if (!endpoint.upload && requestBody)
      expect(requestBody.required, name).toBe(!endpoint.input.safeParse({}).success)
  }
  const { content, required } = found('changeAvatar').operation.requestBody ?? {}
  expect(Object.keys(content ?? {})).toEqual(['multipart/form-data'])
  expect(required).toBe(true)
})

test('D452 the example of every call fits the schemas of the contract', () => {
  for (const [name, endpoint] of allCalls) {
    const example = (examples as Record<string, CallExample>)[name]
    const { requestBody, responses } = found(name).operation
    expect(endpoint.output.safeParse(example?.output).error?.issues ?? [], name).toEqual([])
    expect(responses[200]?.content?.['application/json']?.example, name).toEqual({ data: example?.output })
    if (endpoint.upload) continue
    const input = requestBody?.content['application/json']?.example
    if (requestBody) expect(input, name).toBeDefined()
    if (endpoint.access !== 'machine') expect(example?.input, name).toEqual(input)
    expect(endpoint.input.safeParse(example?.input ?? {}).error?.issues ?? [], name).toEqual([])
  }
})

test('D453 calls say who may call and from where, and list each failure by its status with an example', () => {
  expect(document.info.description).toContain('Sec-Fetch-Site')
  for (const [name, { access, scope, harmless, limit, errors: own = [] }] of allCalls) {
    const { security, responses } = found(name).operation
    const schemes = security.flatMap((each) => Object.keys(each))
    if (access === 'machine') expect(security, name).toEqual([{ machine: [scope] }])
    expect(schemes.includes('session'), name).toBe(!['public', 'client', 'machine'].includes(access))
    expect(schemes.includes('sameOrigin'), name).toBe(!harmless && !['client', 'machine'].includes(access))
    for (const code of [...own, ...(limit ? (['TOO_MANY_REQUESTS'] as const) : [])]) {
      const { content } = responses[errors[code].status] ?? {}
      expect(Object.keys(content?.['application/json']?.examples ?? {}), name).toContain(code)
    }
  }
  for (const { operation, at } of operations())
    for (const scheme of operation.security.flatMap((each) => Object.keys(each)))
      expect(Object.keys(document.components.securitySchemes), at).toContain(scheme)
})

test('D454 a call of machines has its fields in path, query or body, and its headers: keys and tags', () => {
  for (const [name, { path, method, changes, tagged }] of allCalls.filter(([, { access }]) => access === 'machine')) {
    const { operation, ...at } = found(name)
    expect(at.method, name).toBe(method.toLowerCase())
    const names = (place: string) =>
      (operation.parameters ?? []).filter((one) => one.in === place).map((one) => one.name)
    expect(names('path'), name).toEqual(pathFields(path))
    expect(names('header').includes('Idempotency-Key'), name).toBe(changes === true)
    expect(names('header').includes('If-Match'), name).toBe(changes === true && tagged === true)
    if (method === 'GET') expect(operation.requestBody, name).toBeUndefined()
    expect(Object.keys(operation.responses[200]?.headers ?? {}).includes('ETag'), name).toBe(
      !changes && tagged === true,
    )
  }
})

test('every endpoint of the contract is served, and nothing under /api is served without being in it', async () => {
  const site = await t.site()
  for (const { path, method } of endpoints) {
    const reply = await t.app.inject({ method, url: path, headers: { host: site.host } })
    expect(reply.statusCode, path).not.toBe(404)
  }
  for (const { path } of navigations) {
    const reply = await t.app.inject({ method: 'GET', url: path, headers: { host: site.host } })
    expect(reply.statusCode, path).toBe(302)
  }
  const routes = t.app.printRoutes({ commonPrefix: false })
  const posts = endpoints.filter(({ method }) => method === 'POST')
  expect(routes.match(/\(POST\)/g)).toHaveLength(posts.length)
})
