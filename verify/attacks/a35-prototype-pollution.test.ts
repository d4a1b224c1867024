import { checkConfig, readConfig as readByCall, updateConfig } from '@hufu/contract/merchant-config'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSite, readConfig, saveConfig } from '../../apps/server/src/features/site/site.service.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { oidcClients } from '../../apps/server/test/oidc.ts'
import { fresh, startTestApp, type TestApp, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { files } from './files.ts'
import { routeCalls } from './oidc-routes.ts'
import { allEndpoints, allNavigations, fieldsOf, jsonEndpoints, sampleFor } from './samples.ts'

let t: Harness
let site: TestSite
/** The same product in this very process, where prototypes can be looked at. */
let inside: TestApp
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  inside = await startTestApp()
})
afterAll(async () => {
  await inside.close()
  await t.close()
})

const polluted =
  '{"polluted":"yes","access":"public","permission":{"MERCHANT":["ADMIN"]},"status":"active","toString":1}'
const pollutions = [
  `"__proto__":${polluted}`,
  `"constructor":{"prototype":${polluted}}`,
  `"__proto__":{"__proto__":${polluted}}`,
  `"\\u005f\\u005fproto\\u005f\\u005f":${polluted}`,
  `"constructor":{"prototype":{"constructor":{"prototype":${polluted}}}}`,
  `"__proto__.polluted":"yes"`,
  `"__proto__[polluted]":"yes"`,
  `"prototype":${polluted}`,
]

const families = [Object, Array, Function, String, Number, Boolean, Map, Set, Promise, RegExp, Error, Buffer]
const look = () =>
  families.map(({ name, prototype }) => `${name} ${Reflect.ownKeys(prototype).map(String).sort().join()}`).join('\n')

/** The pollution at the top of the body and inside each of its fields. */
function bodies(sample: object, fields: string[], pollution: string): string[] {
  const top = JSON.stringify(sample).replace(/^\{/, `{${pollution}${Object.keys(sample).length > 0 ? ',' : ''}`)
  const inner = fields.map((field) => JSON.stringify({ ...sample, [field]: '@@' }).replace('"@@"', `{${pollution}}`))
  return [top, ...inner, `[{${pollution}}]`]
}

const post = (caller: Browser, path: string, body: string) =>
  caller.post(path, body, { 'x-forwarded-for': freshAddress() })

test('A35 no body of any call reaches a prototype', async () => {
  const before = look()
  const insideSite = await inside.codeSite()
  let calls = 0
  for (const endpoint of jsonEndpoints) {
    // A caller with permission, otherwise the input would never be read.
    const caller = await callerOf(t, endpoint.access.startsWith('merchant') ? 'merchantAdmin' : 'user', site)
    for (const pollution of pollutions) {
      for (const body of bodies(sampleFor(endpoint), fieldsOf(endpoint), pollution)) {
        calls++
        const { status, body: answer } = await post(caller, endpoint.path, body)
        expect(status, `${endpoint.path} ${body}`).toBeLessThan(500)
        if (/__proto__"|005fproto|"constructor":\{"prototype"/.test(body))
          expect(status, `${endpoint.path} ${body}`).toBe(endpoint.access === 'public' || status !== 401 ? 400 : 401)
        // A refusal may name the field that was sent.
        expect(answer.replace(/"field":"[^"]*"/, '')).not.toContain('polluted')
        const headers = { host: insideSite.host, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
        await inside.app.inject({ method: 'POST', url: endpoint.path, headers, payload: body })
      }
    }
  }
  figure('polluting bodies', calls, ['>=', 8 * jsonEndpoints.length])
  reportUnchanged('bodies', before)
})

/** That no prototype has more or less than before. */
function reportUnchanged(by: string, before: string): void {
  const changed = look() !== before || ({} as { polluted?: string }).polluted !== undefined
  figure(`prototypes changed by ${by}`, changed ? 1 : 0, ['=', 0])
}

const queries = [
  '__proto__[polluted]=yes',
  '__proto__.polluted=yes',
  'constructor[prototype][polluted]=yes',
  '__proto__=yes',
  'id[__proto__][polluted]=yes&id=__proto__',
  'source=__proto__&ticket=__proto__&state=constructor&code=toString',
  '%5F%5Fproto%5F%5F%5Bpolluted%5D=yes',
]
const cookies = [
  '__proto__=yes',
  '__proto__[polluted]=yes',
  'constructor=prototype',
  '__Host-hufu=__proto__',
  'toString=',
]

test('A35 no query, cookie or header of any address reaches a prototype', async () => {
  const before = look()
  const { host } = await inside.codeSite({ clients: oidcClients })
  const addresses = [...files, ...allNavigations, ...allEndpoints, ...routeCalls].map(({ path }) => path)
  for (const path of addresses) {
    for (const [index, query] of queries.entries()) {
      const cookie = cookies[index % cookies.length] ?? ''
      const headers = { host, 'sec-fetch-site': 'same-origin', cookie, 'last-event-id': '__proto__', __proto__x: 'y' }
      const { statusCode, body } = await inside.app.inject({ url: `${path}?${query}`, headers })
      expect(statusCode, `${path}?${query}`).toBeLessThan(500)
      expect(body, `${path}?${query}`).not.toContain('polluted')
    }
  }
  figure('polluting queries and cookies', addresses.length * queries.length, ['>=', 700])
  reportUnchanged('queries and cookies', before)
})

/** Names of a form's parts and of files that would reach further than a name. */
const formNames = [
  '__proto__',
  'constructor',
  '__proto__[polluted]',
  'constructor[prototype][polluted]',
  'toString',
  'file',
]

test('A35 no part of an upload reaches a prototype, by whatever name', async () => {
  const before = look()
  const own = await inside.codeSite()
  const admin = await inside.signIn(own)
  await makeOperator(inside.deps, own.id, admin.id, ['READ', 'WRITE', 'ADMIN'], 'attack')
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const type = 'multipart/form-data; boundary=x'
  const headers = { host: own.host, 'sec-fetch-site': 'same-origin', 'content-type': type, cookie }
  let sent = 0
  for (const { path } of allEndpoints.filter(({ upload }) => upload)) {
    for (const name of formNames) {
      for (const filename of ['__proto__', 'constructor', '../__proto__/polluted']) {
        const part = `--x\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"; __proto__="yes"\r\n\r\n{${pollutions[0]}}\r\n`
        const payload = `${part}${part.replace(name, 'file')}--x--\r\n`
        const { statusCode, body } = await inside.app.inject({ method: 'POST', url: path, headers, payload })
        expect([400, 413, 415], `${path} ${name}: ${body}`).toContain(statusCode)
        sent++
      }
    }
  }
  figure('polluting uploads', sent, ['>=', 90])
  reportUnchanged('uploads', before)
})

const hostile = [
  `{${pollutions[0]}}`,
  `{${pollutions[1]}}`,
  `{"theme":{${pollutions[0]}},"wechat":{"appId":"a","secret":"s",${pollutions[0]}}}`,
  `{"files":{"__proto__":"x"}}`,
  `{"notices":{${pollutions[0]}},"unknown":{${pollutions[1]}}}`,
  `{"sms":{"gateways":[{"kind":"aliyun","keyId":"a","signName":"s","secret":"x","templates":{"__proto__":"x","constructor":"y"}}]}}`,
  `{"limits":{"__proto__":{"addressHour":0,"receiverHour":0}}}`,
]

test('A35 no config reaches a prototype, when it is saved nor when it is served', async () => {
  const before = look()
  let kept = 0
  for (const text of hostile) {
    const host = fresh.host()
    const id = await createSite(inside.deps, { origin: `https://${host}` }, 'attack')
    await saveConfig(inside.deps, id, { config: JSON.parse(text), basedOn: 1 }, 'attack').then(
      () => kept++,
      () => {},
    )
    await readConfig(inside.deps, id)
    await inside.deps.sites.refresh()
    const { status, data } = await inside.call({ id, host, origin: `https://${host}` }, meta)
    expect(status, text).toBe(200)
    expect(JSON.stringify(data), text).not.toContain('polluted')
    for (const path of ['/__proto__', '/constructor', '/toString', '/hasOwnProperty']) {
      const file = await inside.app.inject({ url: path, headers: { host } })
      expect(file.statusCode, `${text} ${path}`).toBe(404)
    }
  }
  console.log(`A35: ${hostile.length} polluting configs, ${kept} kept`)
  reportUnchanged('stored configs', before)
})

test('A35 no config that an operator sends reaches a prototype, and what is kept is read back as plain keys', async () => {
  const before = look()
  const own = await inside.codeSite()
  const admin = await inside.signIn(own)
  await makeOperator(inside.deps, own.id, admin.id, ['READ', 'ADMIN'], 'attack')
  await inside.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE site_id = $1', [own.id])
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: own.host, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', cookie }
  const send = (url: string, config: string) =>
    inside.app.inject({ method: 'POST', url, headers, payload: `{"config":${config}}` })
  const plain = ['{"prototype":{"polluted":"yes"}}', '{"constructor":"x","toString":"y","hasOwnProperty":1,"then":{}}']
  for (const text of hostile) {
    expect((await send(checkConfig.path, text)).statusCode, text).toBe(400)
    expect((await send(updateConfig.path, text)).statusCode, text).toBe(400)
  }
  for (const text of plain) {
    expect((await send(updateConfig.path, text)).statusCode, text).toBe(200)
    expect((await inside.call(own, meta)).status, text).toBe(200)
    expect((await admin.call(readByCall)).data).toEqual(JSON.parse(text))
  }
  reportUnchanged('saved configs', before)
})
