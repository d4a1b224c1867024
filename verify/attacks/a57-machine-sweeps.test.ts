import { randomUUID } from 'node:crypto'
import { type Endpoint, pathFields, requestOf } from '@hufu/contract/endpoint'
import { machineScopes } from '@hufu/contract/machine-scopes'
import { disableManagedUser, enableManagedUser, listManagedUsers } from '@hufu/contract/manage-users'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineClient } from '../../apps/server/test/machine.ts'
import { secretOf } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { demoSms } from '../../tools/simulators/demo-gateways.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { callAsMachine, callRaw, tokenOf } from '../harness/machines.ts'
import { fieldsOf, managedEndpoints, sampleFor, withField } from './samples.ts'

let t: Harness
let site: TestSite
/** Each sweep has a client of its own: limits count by client and call. */
const sweeps = ['types', 'extra', 'prototypes', 'secrets', 'foreign', 'paging', 'content']
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: sweeps.map((id) => machineClient(id, ...machineScopes)) })
})
afterAll(() => t.close())

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const posts = managedEndpoints.filter(({ method }) => method === 'POST')
const bodyFields = (endpoint: Endpoint) =>
  fieldsOf(endpoint).filter((field) => !pathFields(endpoint.path).includes(field))

test('A03 every call of the management API declares a limit', () => {
  const open = managedEndpoints.filter(({ limit }) => !limit)
  figure('calls of the management API without a limit', open.length, ['=', 0])
})

const oddValues = [[], ['a'], {}, { a: 1 }, 1, -1, 1.5, true, '\u0000', '\ud800', 'x'.repeat(20_000)]
const oddPaths = ['%00', '..%2f..', '%ff', "'--", 'x'.repeat(2_000), '00000000-0000-0000-0000-00000000000g', '%F0%9F']

test('A13 a field of another type is never more than a refused input of the management API', async () => {
  const token = await tokenOf(site, 'types')
  const failed: string[] = []
  let tries = 0
  const check = async (endpoint: Endpoint, path: string, body?: string) => {
    tries++
    const { status } = await callRaw(site, token, { path, method: endpoint.method, body })
    if (status >= 500) failed.push(`${nameOf(endpoint)} ${body ?? path}: ${status}`)
  }
  for (const endpoint of managedEndpoints) {
    const { url, body } = requestOf(endpoint, sampleFor(endpoint))
    for (const field of bodyFields(endpoint))
      for (const value of oddValues) {
        const odd = encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value).toWellFormed())
        if (endpoint.method === 'POST') await check(endpoint, url, JSON.stringify(withField(body ?? {}, field, value)))
        else if (odd.length < 8_000) await check(endpoint, `${url.split('?')[0]}?${field}=${odd}&${field}[]=1`)
      }
    for (const odd of oddPaths) {
      const path = pathFields(endpoint.path).reduce((text, name) => text.replace(`:${name}`, odd), endpoint.path)
      if (path !== endpoint.path) await check(endpoint, path, endpoint.method === 'POST' ? '{}' : undefined)
    }
    if (endpoint.method === 'POST')
      for (const bad of ['[]', 'null', '"x"', '1', '{', '']) await check(endpoint, url, bad)
  }
  expect(failed).toEqual([])
  figure(`of ${tries} odd inputs of the management API answered by a failure`, failed.length, ['=', 0])
})

test('A18 a field that a change doesn’t have changes nothing', async () => {
  const token = await tokenOf(site, 'extra')
  const { id } = await t.user(site)
  const stateOf = async () => {
    const { rows } = await t.deps.pool.query(
      `SELECT to_jsonb(u) - 'status' AS row, (SELECT count(*)::int FROM permission p WHERE p.user_id = u.id) AS rights
        FROM users u WHERE id = $1`,
      [id],
    )
    return rows[0]
  }
  const before = await stateOf()
  const extra = {
    id: randomUUID(),
    siteId: randomUUID(),
    site_id: randomUUID(),
    permission: { MERCHANT: ['READ', 'ADMIN'] },
    mobile: '13800138000',
    password: 'Wrong#2026x',
    verified: true,
    operator: true,
    scopes: [...machineScopes],
  }
  for (const endpoint of [disableManagedUser, enableManagedUser]) {
    const { url } = requestOf(endpoint, { id })
    const reply = await callRaw(site, token, { path: url, method: 'POST', body: JSON.stringify(extra) })
    expect([200, 400], reply.body).toContain(reply.status)
    if (reply.status === 200) expect(reply.data.id).toBe(id)
  }
  expect(await stateOf()).toEqual(before)
})

test('A22 an id of another site is answered like one that doesn’t exist, and A23 no row of it appears', async () => {
  const token = await tokenOf(site, 'foreign')
  const [abroad] = await t.sites(1)
  if (!abroad) throw new Error('no site')
  const { id: theirs } = await t.user(abroad)
  const unlike: string[] = []
  const named = managedEndpoints.filter(({ path }) => path.includes(':id'))
  for (const endpoint of named) {
    const sample = sampleFor(endpoint)
    const [foreign, unknown] = [
      await callAsMachine(site, token, endpoint, { ...sample, id: theirs }),
      await callAsMachine(site, token, endpoint, { ...sample, id: randomUUID() }),
    ]
    const told = ({ status, body }: typeof foreign) => `${status} ${body}`
    if (told(foreign) !== told(unknown) || foreign.status === 200) unlike.push(`${nameOf(endpoint)}: ${told(foreign)}`)
  }
  expect(unlike).toEqual([])
  const listed = await callAsMachine(site, token, listManagedUsers, { top: 100 })
  expect(listed.body).not.toContain(theirs)
  figure(`of ${named.length} calls with a foreign id that differ from an unknown one`, unlike.length, ['=', 0])
})

const types = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'text/json',
  'application/json\t; x',
]

test('A33 a change takes JSON alone, and its input is judged in any spelling of the type', async () => {
  const token = await tokenOf(site, 'content')
  const taken: string[] = []
  for (const endpoint of posts) {
    const { url, body = {} } = requestOf(endpoint, { ...sampleFor(endpoint), id: randomUUID() })
    for (const type of types) {
      const sent = { path: url, method: 'POST', body: JSON.stringify(body), headers: { 'content-type': type } }
      const { status } = await callRaw(site, token, sent)
      if (status === 200 || status >= 500) taken.push(`${nameOf(endpoint)} ${type}: ${status}`)
    }
  }
  expect(taken).toEqual([])
  figure('changes that took another type', taken.length, ['=', 0])
})

test('A35 no body of the management API reaches a prototype', async () => {
  const token = await tokenOf(site, 'prototypes')
  const passed: string[] = []
  for (const endpoint of posts) {
    const { url } = requestOf(endpoint, { ...sampleFor(endpoint), id: randomUUID() })
    for (const body of ['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}']) {
      const { status } = await callRaw(site, token, { path: url, method: 'POST', body })
      if (status !== 400) passed.push(`${nameOf(endpoint)}: ${status}`)
    }
  }
  expect(passed).toEqual([])
})

test('A36 a page of the management API has at most 100 rows, whatever is asked for', async () => {
  const token = await tokenOf(site, 'paging')
  const paged = managedEndpoints.filter((endpoint) => fieldsOf(endpoint).includes('top'))
  expect(paged.length).toBeGreaterThan(0)
  const wrong: string[] = []
  for (const endpoint of paged)
    for (const top of ['0', '101', '1e9', '-1', '1.5', 'NaN', '0x10', '', ' 5', '99999999999999999999', '5&top=6']) {
      const { url } = requestOf(endpoint, { id: randomUUID() })
      const path = `${url.split('?')[0]}?top=${top.replaceAll(' ', '%20')}`
      const { status, code } = await callRaw(site, token, { path, method: 'GET' })
      if (status !== 400 || code !== 'INPUT_INVALID') wrong.push(`${nameOf(endpoint)} ${top}: ${status}`)
    }
  expect(wrong).toEqual([])
})

test('A37 no answer of the management API holds a secret', async () => {
  const token = await tokenOf(site, 'secrets')
  const secrets = [...sweeps.map(secretOf), token, 'sealed:', ...Object.values(demoSms ?? {}).flatMap(secretsIn)]
  const { id } = await t.user(site)
  const found: string[] = []
  for (const endpoint of managedEndpoints) {
    const { body } = await callAsMachine(site, token, endpoint, { ...sampleFor(endpoint), id })
    for (const secret of secrets) if (body.includes(secret)) found.push(`${nameOf(endpoint)}: ${secret}`)
  }
  const stored = await t.deps.pool.query('SELECT answer::text AS text FROM idempotent_answer WHERE site_id = $1', [
    site.id,
  ])
  for (const { text } of stored.rows) for (const secret of secrets) if (text?.includes(secret)) found.push(text)
  expect(found).toEqual([])
})

/** Every text under a name that speaks of a secret. */
const secretsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        /secret|password/i.test(name) && typeof inner === 'string' ? [inner] : secretsIn(inner),
      )
    : []
