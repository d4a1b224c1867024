import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHttpSms } from '../../../../../../tools/simulators/http-sms.ts'
import { createInboxStore } from '../../../../../../tools/simulators/inbox-store.ts'
import type { Simulator } from '../../../../../../tools/simulators/loopback.ts'
import { faultsOf } from '../../../features/site/config-check.ts'
import { createLog } from '../../../platform/log.ts'
import { createBreaker } from '../../breaker.ts'
import type { SmsAccount } from '../gateway.ts'
import { type SmsDeps, sendSms } from '../send-sms.ts'

const inbox = createInboxStore()
let gateway: Simulator
beforeAll(async () => {
  gateway = await startHttpSms({
    key: 'k3y&=%',
    templates: { T1: '验证码#code#，#minutes#分钟内有效', T2: '#event#' },
    receive: inbox.receive,
  })
})
afterAll(() => gateway.stop())

const deps = (insecureHttp = true): SmsDeps => ({
  clock: { now: () => Date.now() },
  log: createLog({ logLevel: 'silent' }),
  breaker: createBreaker(),
  config: { insecureHttp },
  smsUrls: { aliyun: '', tencent: '' },
})

let count = 0
const freshMobile = () => `139${String(Date.now() % 1e5).padStart(5, '0')}${String(count++).padStart(3, '0')}`
const params = [
  { name: 'code', value: '012345' },
  { name: 'minutes', value: '5' },
]

const success = { field: 'result.code', equals: '0' }
const templates = { login: 'T1', notice: 'T2', twoFactor: 'T9' }
const asJson = () => ({
  kind: 'http',
  url: `${gateway.url}/v2/sms`,
  headers: { Authorization: 'Bearer k3y&=%' },
  json: {
    to: '+{prefix}{mobile}',
    template: '{template}',
    sign: '{sign}',
    vars: { code: '{code}', minutes: '{minutes}' },
  },
  signName: '青屿生活',
  success,
  templates,
})
const asForm = () => ({
  kind: 'http',
  url: `${gateway.url}/send`,
  secret: 'k3y&=%',
  form: {
    apikey: '{secret}',
    mobile: '{mobile}',
    sign: '青屿生活',
    tpl: '{template}',
    code: '{code}',
    minutes: '{minutes}',
  },
  success,
  templates,
})
const asQuery = () => ({
  ...asForm(),
  method: 'GET',
  url: `${gateway.url}/send?apikey={secret}&mobile={mobile}&sign=%E9%9D%92%E5%B1%BF%E7%94%9F%E6%B4%BB&tpl={template}&code={code}&minutes={minutes}`,
})

const send = (account: SmsAccount & Record<string, unknown>, mobile = freshMobile(), more = {}) =>
  sendSms(deps(), [account], { prefix: '86', mobile, purpose: 'login', params, ...more })

test.each([
  ['JSON with a header', asJson],
  ['a form with a secret', asForm],
  ['a query with a secret', asQuery],
])('D130 a message goes out as %s', async (_, account) => {
  const mobile = freshMobile()
  expect(await send(account(), mobile)).toMatchObject({ kind: 'sent', gateway: 'http' })
  expect(inbox.list(mobile).map(({ text }) => text)).toEqual(['【青屿生活】验证码012345，5分钟内有效'])
})

test('D130 a value ends neither a string of the JSON nor a parameter of the query', async () => {
  const event = '","to":"+8613900000000","x":"&mobile=13900000000'
  const notice = { purpose: 'notice', params: [{ name: 'event', value: event }] }
  const mobiles = [freshMobile(), freshMobile()]
  const json = { ...asJson(), json: { ...asJson().json, vars: { event: '{event}' } } }
  const query = { ...asQuery(), url: `${asQuery().url}&event={event}` }
  expect(await send(json, mobiles[0], notice)).toMatchObject({ kind: 'sent' })
  expect(await send(query, mobiles[1], notice)).toMatchObject({ kind: 'sent' })
  for (const mobile of mobiles) expect(inbox.list(mobile).map(({ text }) => text)).toEqual([`【青屿生活】${event}`])
})

test('D130 what the success condition does not name is a refusal, what can’t be read is unknown', async () => {
  expect(await send(asJson(), '123')).toMatchObject({ kind: 'refused', code: '22' })
  expect(await send(asJson(), freshMobile(), { purpose: 'twoFactor' })).toMatchObject({ kind: 'refused', code: '5' })
  expect(await send({ ...asJson(), headers: {} })).toMatchObject({ kind: 'refused', code: 'HTTP_401' })
  expect(await send({ ...asForm(), secret: undefined })).toMatchObject({ kind: 'refused', code: 'NO_SECRET' })
  const other = { ...asJson(), success: { field: 'result.status', equals: '0' } }
  expect(await send(other)).toMatchObject({ kind: 'unknown' })
  expect(await send({ ...asJson(), success: undefined }, '123')).toMatchObject({ kind: 'sent' })
})

async function serve(answer: Parameters<typeof createServer>[1]): Promise<Server & { url: string }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

test('D130 a redirect is not followed, and an endless answer is not read to its end', async () => {
  const hops: string[] = []
  const server = await serve((request, response) => {
    hops.push(request.url ?? '')
    if (request.url === '/hop') return response.writeHead(302, { location: '/there' }).end()
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'.repeat(16_384)), 1)
    response.on('close', () => clearInterval(timer))
  })
  expect(await send({ ...asJson(), url: `${server.url}/hop` })).toMatchObject({ kind: 'refused', code: 'HTTP_302' })
  expect(await send({ ...asJson(), url: `${server.url}/long` })).toMatchObject({ kind: 'unknown' })
  expect(hops).toEqual(['/hop', '/long'])
  server.close()
})

test.each([
  ['http://sms.example.com/send', 'NOT_HTTPS'],
  ['https://127.0.0.1/send', 'NOT_PUBLIC'],
  ['https://[::1]/send', 'NOT_PUBLIC'],
  ['https://169.254.169.254/latest', 'NOT_PUBLIC'],
  ['https://localhost/send', 'NOT_PUBLIC'],
])('D130 %s is not connected to', async (url, code) => {
  const account = { ...asJson(), url }
  const sms = { prefix: '86', mobile: freshMobile(), purpose: 'login', params }
  expect(await sendSms(deps(false), [account], sms)).toMatchObject({ kind: 'refused', code })
})

test('D130 a config is refused at the place where it is wrong', () => {
  const at = (change: object) =>
    faultsOf({ sms: { gateways: [{ ...asJson(), ...change }] } }).map(({ path }) => path.slice(3).join('.'))
  expect(at({})).toEqual([])
  expect(at({ url: 'https://{mobile}.example.com/' })).toEqual(['url'])
  expect(at({ url: 'https://user@sms.example.com/' })).toEqual(['url'])
  expect(at({ url: 'http://sms.example.com/' })).toEqual(['url'])
  expect(at({ url: 'http://127.0.0.1.example.com/' })).toEqual(['url'])
  expect(at({ url: 'https://sms.example.com/?to={moblie}' })).toEqual(['url'])
  expect(at({ json: { to: '{moblie}' } })).toEqual(['json'])
  expect(at({ headers: { Host: 'other.example.com' } })).toEqual(['headers.Host'])
  expect(at({ headers: { 'X-Key': 'a\r\nb: c' } })).toEqual(['headers.X-Key'])
  expect(at({ accessKey: 'in the clear', secret: 'sealed' })).toEqual(['accessKey'])
})
