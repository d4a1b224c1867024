import { oidcPaths } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deviceClients } from '../../apps/server/test/device.ts'
import { oidcClients, secretOf } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { freshAddress, type Harness, nextUrl, openHarness } from '../harness/harness.ts'
import { send } from '../harness/http.ts'
import { allEndpoints, bodyFor } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const refused = [
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain;application/json',
  'text/json',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/mixed',
  'application/xml',
  'application/octet-stream',
  'application/x-ndjson',
  'application/jsonx',
  'application/json5',
  'application/json+x',
  'application/ld+json',
  'application/vnd.api+json',
  'xapplication/json',
  'application',
  'json',
  '*/*',
  'application/*',
  'application/json, text/plain',
  'text/plain, application/json',
  'application /json',
  'application/ json',
  'application\t/json',
  '"application/json"',
  ';application/json',
  'application/json\u00a0',
]
/** JSON in another spelling: it may be taken, but then its content is checked as always. */
const sameThing = [
  'application/json',
  'APPLICATION/JSON',
  'Application/Json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; charset=utf-8',
  'application/json\t',
  ' application/json',
  'application/json;',
  'application/json; charset=utf-16',
  'application/json; charset=utf-7',
  'application/json; boundary=x',
  'application/json;text/plain',
]

test('A33 a body of another type is refused with 415, and JSON in any spelling is checked', async () => {
  const wrong: string[] = []
  let calls = 0
  const caller = await callerOf(t, 'merchantAdmin', site)
  for (const endpoint of allEndpoints) {
    const ask = (type: string | undefined, body: string) => {
      calls++
      return caller.post(endpoint.path, body, { 'content-type': type, 'x-forwarded-for': freshAddress() })
    }
    // An upload takes a form and nothing else, JSON least of all.
    const others = endpoint.upload ? [...refused.filter((type) => !type.includes('form-data')), ...sameThing] : refused
    for (const type of others) {
      const { status } = await ask(type, bodyFor(endpoint).body)
      if (status !== 415) wrong.push(`${endpoint.path} ${JSON.stringify(type)}: ${status}, not 415`)
    }
    const without = await ask(undefined, bodyFor(endpoint).body)
    if (without.status !== 415) wrong.push(`${endpoint.path} without a type: ${without.status}`)
    for (const type of sameThing) {
      for (const body of ['["not an object"]', '{"broken":']) {
        const { status } = await ask(type, body)
        if (status !== 400 && status !== 415)
          wrong.push(`${endpoint.path} ${JSON.stringify(type)} took ${body}: ${status}`)
      }
    }
  }
  for (const line of wrong.slice(0, 20)) console.log(`A33: ${line}`)
  figure('calls with tricks of type', calls, ['>=', 40 * allEndpoints.length])
  figure('taken, or not checked', wrong.length, ['=', 0])
})

test('A33 two types, a form that holds JSON, and a coded body get nowhere', async () => {
  const caller = await callerOf(t, 'merchantAdmin', site)
  const cookie = [...caller.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  for (const endpoint of allEndpoints) {
    const body = JSON.stringify(['not an object'])
    const usual = { host: site.host, 'sec-fetch-site': 'same-origin', cookie, 'x-forwarded-for': freshAddress() }
    const ask = (headers: Record<string, string | string[]>, sent = body) =>
      send(nextUrl(), { path: endpoint.path, headers: { ...usual, ...headers }, body: sent })
    const form = '--x\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: application/json\r\n\r\n{}\r\n--x--'
    for (const reply of [
      await ask({ 'content-type': ['application/json', 'text/plain'] }),
      await ask({ 'content-type': ['text/plain', 'application/json'] }),
      await ask({ 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      await ask({ 'content-type': 'multipart/form-data; boundary=x' }, form),
    ]) {
      expect([400, 415], `${endpoint.path} ${reply.status}`).toContain(reply.status)
    }
  }
})

test('A33 the routes of OpenID Connect read forms alone, in their own spelling', async () => {
  const site = await t.codeSite({ clients: [...oidcClients, ...deviceClients] })
  const proofOf = (id: string) => Buffer.from(`${id}:${secretOf(id)}`).toString('base64')
  const ask = (path: string, type: string | undefined, body: string) =>
    send(nextUrl(), {
      path,
      body,
      headers: {
        host: site.host,
        authorization: `Basic ${proofOf(path === oidcPaths.deviceAuthorization ? 'box' : 'worker')}`,
        'x-forwarded-for': freshAddress(),
        ...(type !== undefined && { 'content-type': type }),
      },
    })
  const form = 'grant_type=client_credentials&token=x&scope=openid'
  const json = JSON.stringify({ grant_type: 'client_credentials', token: 'x', scope: 'openid' })
  const others = [...refused.filter((type) => !type.includes('urlencoded')), ...sameThing, undefined, '']
  const wrong: string[] = []
  const paths = [oidcPaths.token, oidcPaths.introspect, oidcPaths.revoke, oidcPaths.deviceAuthorization]
  for (const path of paths) {
    expect((await ask(path, 'application/x-www-form-urlencoded', form)).status, path).toBe(200)
    for (const type of others)
      for (const body of [form, json]) {
        const { status } = await ask(path, type, body)
        if (status < 400 || status >= 500) wrong.push(`${path} ${JSON.stringify(type)}: ${status}`)
      }
  }
  expect(wrong).toEqual([])
  figure(`of ${2 * paths.length * others.length} other types that the provider read`, wrong.length, ['=', 0])
})
