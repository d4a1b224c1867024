import { pages } from '@hufu/contract/pages'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, freshAddress, type Harness, openHarness, short } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { openStream } from '../harness/stream.ts'
import { files } from './files.ts'
import { sendRaw } from './raw.ts'
import { allEndpoints, allNavigations, bodyFor } from './samples.ts'
import { uploads } from './uploads.ts'
import { type PagesServer, startWithPages } from './with-pages.ts'

let t: Harness
let site: TestSite
let admin: Browser
let server: PagesServer
/** The same user where pages are served. */
let reader: Browser
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  admin = await callerOf(t, 'merchantAdmin', site)
  server = await startWithPages(site)
  reader = t.browser(site, { urls: [server.url] })
  for (const [name, value] of admin.cookies) reader.cookies.set(name, value)
})
afterAll(async () => {
  await t.close()
  await server.stop()
})

/** As they stand in an address. */
const odd = [
  '%20',
  '%00',
  '%',
  '%zz',
  '%ED%A0%80',
  '%E0%A4%A',
  '%C0%AE',
  '%F0%9F%98%80',
  'a'.repeat(9_000),
  '[]',
  '{}',
  'null',
  "'%20OR%20'1'='1",
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  '-1',
  '1e300',
  '__proto__',
]

/** In the short form one of three; which ones changes from call to call. */
let turn = 0
const everyThird = () => !short || turn++ % 3 === 0

const from = () => ({ 'x-forwarded-for': freshAddress() })

/** What was asked and answered, where the server itself failed. */
const failures = async (asked: [what: string, reply: Promise<{ status: number }>][]): Promise<string[]> => {
  const results = await Promise.all(asked.map(async ([what, reply]) => [what, (await reply).status] as const))
  return results.filter(([, status]) => status >= 500).map(([what, status]) => `${what.slice(0, 80)} → ${status}`)
}

test('A13 every parameter in the path of a page, and every query behind it, is met without failing', async () => {
  const failed: string[] = []
  let calls = 0
  for (const page of [...Object.values(pages), '/nowhere/:x']) {
    const places = [...odd.map((value) => page.replace(/:\w+/g, value)), ...odd.map((value) => `${page}?x=${value}`)]
    failed.push(...(await failures(places.map((path) => [path, reader.get(path, from())]))))
    calls += places.length
  }
  expect(failed).toEqual([])
  figure(`of ${calls} pages with odd parameters failed`, failed.length, ['=', 0])
})

test('A13 every file is requested with any query without failing, and none is returned', async () => {
  const failed: string[] = []
  let calls = 0
  // The stream reads no query; other public files answer any query.
  const byId = files.filter(({ calls: limited }) => limited)
  for (const { path } of byId) {
    for (const field of ['id', 't']) {
      const shapes = [`${field}=a&${field}=b`, `${field}[]=a`, `${field}[x]=a`, field]
      for (const query of [...odd.map((value) => `${field}=${value}`), ...shapes]) {
        const { status } = await admin.get(`${path}?${query}`, from())
        if (status < 400 || status >= 500) failed.push(`${path}?${query.slice(0, 40)} → ${status}`)
        calls++
      }
    }
  }
  expect(failed).toEqual([])
  figure(`of ${calls} odd queries for files not refused with 4xx`, failed.length, ['=', 0])
})

const part = (headers: string[], content = 'no picture') => `--x\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`
const named = (disposition: string) => `content-disposition: form-data; ${disposition}`
const file = part([named('name="file"; filename="a.png"'), 'content-type: image/png'])
const end = '--x--\r\n'

/** Bodies of a form that is none, or another than the call expects; none holds a picture. */
const forms: string[] = [
  '',
  end,
  file,
  `${file}${file}${end}`,
  `${part([named('name="other"; filename="a.png"')])}${end}`,
  `${part([named('name="file"')], '["a"]')}${end}`,
  `${part([named('name="file[]"; filename="a.png"')])}${end}`,
  `${part([named('name="__proto__"; filename="a.png"')])}${end}`,
  `${part([named(`name="file"; filename="${'a'.repeat(9_000)}"`)])}${end}`,
  `${part([named('name="file"; filename="../../etc/passwd\u0000.png"')])}${end}`,
  `${part([named('name="file"; name="file"; filename="a"; filename="b"')])}${end}`,
  `${part([named('name=file; filename=a.png')])}${end}`,
  `${part([named('name="file'), 'content-type'])}${end}`,
  `${part([], 'x')}${end}`,
  `${part(['x: y'.repeat(20_000)])}${end}`,
  `${part([named('name="file"; filename="a"'), 'content-type: multipart/mixed; boundary=x'])}${end}`,
  `${'--x\r\n\r\n\r\n'.repeat(2_000)}${end}`,
  '{"file":"a"}',
  '\u0000'.repeat(1_000),
]
const types = [
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="x',
  `multipart/form-data; boundary=${'x'.repeat(5_000)}`,
  'multipart/form-data; boundary=x; boundary=y',
]

test('A13 every call that takes a file refuses every malformed form', async () => {
  const all = uploads.flatMap(({ path }) => forms.flatMap((form) => types.map((type) => ({ path, form, type }))))
  const sent = all.filter(everyThird)
  const statuses = await together(sent.length, 6, async (index) => {
    const { path = '', form = '', type = '' } = sent[index] ?? {}
    const { status } = await admin.post(path, form, { 'content-type': type, ...from() })
    const place = `${path} form ${forms.indexOf(form)} as ${type.slice(0, 60)}`
    return status < 400 || status >= 500 ? `${place} → ${status}` : undefined
  })
  const wrong = statuses.filter((line) => line !== undefined)
  expect(uploads.map(({ path }) => path).sort()).toEqual(
    allEndpoints.flatMap(({ path, upload }) => (upload ? [path] : [])).sort(),
  )
  expect(wrong).toEqual([])
  figure(`of ${sent.length} odd forms not refused with 4xx`, wrong.length, ['=', 0])
})

const uuid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'
const cookieValues = [
  '',
  '.',
  '..',
  'a.b.c',
  `${uuid}.${uuid}.`,
  `${uuid}.${uuid}.${'A'.repeat(43)}`,
  `${uuid}.${uuid}.${'A'.repeat(43)}.x`,
  `x.${uuid}.${'A'.repeat(43)}`,
  'a'.repeat(3_000),
  '%00',
  '"',
  '=',
  '[]',
  '{"a":1}',
  "'",
  '\u00ff\u00fe',
]
const cookieNames = ['__Host-hufu', '__Host-hufu-browser', '__Host-hufu-in', `__Host-hufu-scan-${'A'.repeat(22)}`]

test('A13 a foreign cookie identifies no user at any call, and no call fails', async () => {
  const all = allEndpoints.flatMap((endpoint) => cookieValues.map((value) => ({ endpoint, value })))
  const sent = all.filter(everyThird)
  const results = await together(sent.length, 8, async (index) => {
    const { endpoint, value } = sent[index] as (typeof all)[number]
    const { body, headers } = bodyFor(endpoint)
    const cookie = cookieNames.map((name) => `${name}=${value}`).join('; ')
    const { status } = await t.browser(site).post(endpoint.path, body, { ...headers, cookie })
    const guarded = endpoint.access !== 'public' && endpoint.access !== 'client'
    const wrong = status >= 500 || (guarded && status !== 401)
    return wrong ? `${endpoint.path} ${value.slice(0, 40)} → ${status}` : undefined
  })
  const wrong = results.filter((line) => line !== undefined)
  for (const value of cookieValues) {
    const stream = await openStream(site, admin, undefined, { cookie: `__Host-hufu=${value}` })
    stream.close()
    if (stream.status !== 401) wrong.push(`stream ${value.slice(0, 40)} → ${stream.status}`)
  }
  expect(wrong).toEqual([])
  figure(`of ${sent.length} calls with odd cookies admitted or failed`, wrong.length, ['=', 0])
})

const headerNames = [
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'if-none-match',
  'if-modified-since',
  'range',
  'origin',
  'referer',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-request-id',
  'expect',
]
const headerValues = [
  '',
  ',',
  ';',
  '*',
  '"',
  '\\',
  '%00',
  '-1',
  '\u00ff',
  'a'.repeat(4_000),
  '[object Object]',
  '../..',
]

test('A13 no header fails, at a call, a navigation, a page, a file or an upload', async () => {
  const failed: string[] = []
  let calls = 0
  const [upload] = uploads
  const [navigation] = allNavigations
  for (const name of headerNames) {
    for (const value of headerValues.filter(everyThird)) {
      const own = { [name]: value }
      const form = { 'content-type': 'multipart/form-data; boundary=x', ...own }
      const asked: [string, Promise<{ status: number }>][] = [
        ['call', admin.post(userInfo.path, '{}', own)],
        ['navigation', admin.get(navigation?.path ?? '', own)],
        ['page', reader.get(pages.user, own)],
        ['file', admin.get('/api/avatar?id=x', own)],
        ['upload', admin.post(upload?.path ?? '', `${file}${end}`, form)],
      ]
      failed.push(...(await failures(asked.map(([what, reply]) => [`${what} ${name}: ${value}`, reply]))))
      calls += asked.length
    }
  }
  expect(failed).toEqual([])
  figure(`of ${calls} calls with odd headers failed`, failed.length, ['=', 0])
})

test('A13 nor do bytes that no client sends', async () => {
  const [url = ''] = inject('apiUrls')
  const host = `host: ${site.host}`
  const lines = [
    ['GET /user\u0000 HTTP/1.1', host],
    ['GET / HTTP/1.1', host, 'x: \u0001'],
    ['GET / HTTP/1.1', host, 'cookie: __Host-hufu=\u0000'],
    ['GET / HTTP/1.1', host, host],
    ['GET / HTTP/1.1'],
    ['GET / HTTP/9.9', host],
    ['BREW / HTTP/1.1', host],
    ['POST /api/meta HTTP/1.1', host, 'content-length: -1'],
    ['POST /api/meta HTTP/1.1', host, 'transfer-encoding: chunked'],
  ]
  let wrong = 0
  for (const request of lines) {
    const { status } = await sendRaw(url, request)
    if (status < 400 || status >= 500) wrong++
    expect.soft(status, request.join(' | ')).toBeGreaterThanOrEqual(400)
  }
  figure(`of ${lines.length} requests that are none not refused with 4xx`, wrong, ['=', 0])
})
