import { eventsPath } from '@hufu/contract/events'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSite, readConfig, saveConfig } from '../apps/server/src/features/site/site.service.ts'
import { fresh, startTestApp, type TestApp, type TestSite } from '../apps/server/test/test-app.ts'
import { callerOf } from './callers.ts'
import { freshAddress, type Harness, openHarness } from './harness.ts'
import { fieldsOf, jsonEndpoints, sampleFor } from './samples.ts'

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

test('A35 no body of any call reaches a prototype', async () => {
  const before = look()
  const insideSite = await inside.codeSite()
  let calls = 0
  for (const endpoint of jsonEndpoints) {
    // Somebody who may, or the input would never be looked at.
    const caller = await callerOf(t, endpoint.access.startsWith('merchant') ? 'merchantAdmin' : 'user', site)
    for (const pollution of pollutions) {
      for (const body of bodies(sampleFor(endpoint), fieldsOf(endpoint), pollution)) {
        calls++
        const { status, body: answer } = await caller.post(endpoint.path, body, { 'x-forwarded-for': freshAddress() })
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
  for (const query of ['__proto__[polluted]=yes', '__proto__.polluted=yes', 'constructor[prototype][polluted]=yes']) {
    const headers = {
      host: insideSite.host,
      'sec-fetch-site': 'same-origin',
      cookie: query,
      'last-event-id': '__proto__',
    }
    expect((await inside.app.inject({ url: `${eventsPath}?${query}`, headers })).statusCode).toBe(401)
  }
  console.log(
    `A35: ${calls} polluting bodies over ${jsonEndpoints.length} calls, prototypes ${look() === before ? 'unchanged' : 'CHANGED'}`,
  )
  expect(look()).toBe(before)
  expect(({} as { polluted?: string }).polluted).toBeUndefined()
})

test('A35 no config reaches a prototype, when it is saved nor when it is served', async () => {
  const before = look()
  const hostile = [
    `{${pollutions[0]}}`,
    `{${pollutions[1]}}`,
    `{"theme":{${pollutions[0]}},"wechat":{"appId":"a","secret":"s",${pollutions[0]}}}`,
    `{"files":{"__proto__":"x"}}`,
    `{"notices":{${pollutions[0]}},"unknown":{${pollutions[1]}}}`,
    `{"sms":{"gateways":[{"kind":"aliyun","keyId":"a","signName":"s","secret":"x","templates":{"__proto__":"x","constructor":"y"}}]}}`,
    `{"limits":{"__proto__":{"addressHour":0,"receiverHour":0}}}`,
  ]
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
  console.log(
    `A35: ${hostile.length} polluting configs (${kept} kept), prototypes ${look() === before ? 'unchanged' : 'CHANGED'}`,
  )
  expect(look()).toBe(before)
})
