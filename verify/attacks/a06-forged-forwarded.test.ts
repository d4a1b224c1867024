import { entry, loginByPassword, sendConfirmCode } from '@hufu/contract/login'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { type Reply, send, tally, together } from '../harness/http.ts'
import { type Nginx, startNginx } from '../harness/nginx.ts'

/** Calls of one address in a minute that get past the counter. */
const limit = sendConfirmCode.limit?.calls ?? 0

/** Only 127.0.0.1 is a trusted proxy; callers from 127.0.0.2 and up are not. */
let api: Api
let nginx: Nginx
let t: Harness
let sites: TestSite[]
beforeAll(async () => {
  api = await startApi({ ...inject('environment'), HUFU_TRUSTED_PROXIES: '127.0.0.1/32' }, inject('logFolder'))
  nginx = await startNginx(api.url)
  t = await openHarness(inject('environment'), [api.url])
  sites = await t.sites(6, (index) => ({ name: `站点${index}` }))
})
afterAll(async () => {
  await nginx.stop()
  await t.close()
  await api.stop()
})

const addresses = [
  '1.2.3.4',
  '10.0.0.1',
  '127.0.0.1',
  '::1',
  '2001:db8::1',
  '::ffff:9.9.9.9',
  '255.255.255.255',
  '0.0.0.0',
]
const broken = [
  '',
  ' ',
  ',',
  ',,,,',
  'unknown',
  '_hidden',
  'null',
  'undefined',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.256',
  '01.02.03.04',
  '0x7f.0.0.1',
  '2130706433',
  '1.2.3.4:80',
  '[::1]',
  '[::1]:80',
  '[2001:db8::1]:4711',
  ':::1',
  '1::2::3',
  'gggg::1',
  '1.2.3.4/32',
  '::/0',
  '"1.2.3.4"',
  'for=1.2.3.4',
  "1.2.3.4' OR 1=1",
  '%00',
  '$(id)',
  '\u00ff\u00fe',
  'x'.repeat(4_000),
  `${'1.2.3.4,'.repeat(500)}x`,
]
const zones = ['fe80::1%eth0', 'fe80::1%25eth0', '::1%lo', '2001:db8::1%x']
const lists = addresses.flatMap((address) => [
  address,
  `${address}, 8.8.8.8`,
  `8.8.8.8,${address}`,
  `${address}, unknown`,
  `${address},127.0.0.1`,
  `${address}, , 127.0.0.1`,
])

const others = (value: string): Record<string, string> => ({
  'x-real-ip': value,
  'true-client-ip': value,
  'cf-connecting-ip': value,
  'x-client-ip': value,
  'x-cluster-client-ip': value,
  'fastly-client-ip': value,
  forwarded: `for="${value}"`,
  via: value,
})

type Headers = Record<string, string | string[]>

/** Each value alone, twice, beside its like and under other names. */
const forgeries: Headers[] = [...lists, ...broken, ...zones].flatMap((value): Headers[] => [
  { 'x-forwarded-for': value },
  { 'X-FORWARDED-FOR': [value, '4.4.4.4'] },
  others(value),
])

function ask(
  url: string,
  site: TestSite | undefined,
  from: string,
  headers: Headers,
  path: string = sendConfirmCode.path,
  body = '{"ticket":"x"}',
) {
  const usual = { host: site?.host ?? '', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  // Oversized headers close the connection, which grants nothing either.
  const hungUp = (): Reply => ({ status: 431, headers: {}, body: '', ms: 0 })
  return send(url, { path, body, from, headers: { ...usual, ...headers } }).catch(hungUp)
}

const codeOf = ({ status, body }: Reply) => /"code":"(\w+)"/.exec(body)?.[1] ?? String(status)

async function passedBy(url: string, site: TestSite | undefined, from: string, values: Headers[]) {
  const replies = await together(values.length, 20, (index) => ask(url, site, from, values[index] ?? {}))
  const counts = tally(replies.map(codeOf))
  expect(replies.filter(({ status }) => status >= 500).length).toBe(0)
  return counts
}

test('A06 called directly, no header changes who a stranger is', async () => {
  const counts = await passedBy(api.url, sites[0], '127.0.0.2', forgeries)
  const through = counts.LOGIN_CONFIRM_EXPIRED ?? 0
  figure(`of ${forgeries.length} forgeries sent directly passed a limit of ${limit}`, through, ['=', limit])
})

test('A06 through the proxy, no header changes who a stranger is', async () => {
  const counts = await passedBy(nginx.url, sites[1], '127.0.0.3', forgeries)
  console.log(`A06: ${forgeries.length} forgeries sent through nginx: ${JSON.stringify(counts)}`)
  const through = counts.LOGIN_CONFIRM_EXPIRED ?? 0
  figure(`of ${forgeries.length} forgeries sent through the proxy passed a limit of ${limit}`, through, ['=', limit])
  expect((await ask(nginx.url, sites[1], '127.0.0.4', {})).status, 'another stranger is not blocked').toBe(409)
})

test('A06 an unreadable address from a trusted proxy counts as the proxy itself, never as no address', async () => {
  const values = broken.flatMap((value): Headers[] => [
    { 'x-forwarded-for': value },
    { 'x-forwarded-for': `7.7.7.7, ${value}` },
  ])
  const readable = values.filter((headers) => !/(^|,)\s*$|1\.2\.3\.4$/.test(String(headers['x-forwarded-for'])))
  const counts = await passedBy(api.url, sites[2], '127.0.0.1', [...readable, ...readable])
  const through = counts.LOGIN_CONFIRM_EXPIRED ?? 0
  figure(`of ${readable.length * 2} unreadable headers of the proxy passed a limit of ${limit}`, through, ['=', limit])
})

test('A06 whatever address the proxy names, a call that writes it down does not fail', async () => {
  const values = [...lists, ...broken, ...zones]
  const failed: string[] = []
  for (const value of values) {
    const body = JSON.stringify({ account: fresh.username(), password: 'Wrong#2026x' })
    const forged = { 'x-forwarded-for': value }
    const write = () => ask(api.url, sites[3], '127.0.0.1', forged, loginByPassword.path, body)
    const reply = await write()
    if (reply.status >= 500) failed.push(`${value.slice(0, 40)} → ${codeOf(reply)}`)
  }
  console.log(`A06: ${values.length} addresses written down: ${failed.join('; ')}`)
  figure(`of ${values.length} odd addresses that were written down failed`, failed.length, ['=', 0])
})

test('A06 forwarded hosts, schemes and paths change neither the site nor the answer', async () => {
  const [, , , , own, other] = sites
  const plain = await ask(api.url, own, '127.0.0.1', {}, meta.path)
  const names = ['x-forwarded-host', 'x-host', 'x-forwarded-server', 'x-original-host', 'x-http-host-override']
  const forged: Headers[] = [
    ...names.map((name) => ({ [name]: other?.host ?? '' })),
    { forwarded: `host=${other?.host};proto=http` },
    { 'x-forwarded-proto': 'http', 'x-forwarded-port': '80', 'x-forwarded-scheme': 'http', 'x-forwarded-ssl': 'off' },
    { 'x-forwarded-proto': 'javascript' },
    { 'x-original-url': '/api/openapi.json', 'x-rewrite-url': '/api/openapi.json', 'x-forwarded-prefix': '/evil' },
    { 'x-http-method-override': 'GET', 'x-method-override': 'DELETE' },
  ]
  let unmoved = 0
  for (const url of [api.url, nginx.url]) {
    for (const headers of forged) {
      const context = JSON.stringify(headers)
      expect((await ask(url, own, '127.0.0.1', headers, meta.path)).body, context).toBe(plain.body)
      const lead = await ask(
        url,
        own,
        '127.0.0.1',
        headers,
        entry.path,
        JSON.stringify({ source: `https://${other?.host}/` }),
      )
      expect(lead.body, context).toBe('{"data":"/user"}')
      unmoved++
    }
  }
  figure('forged hosts, schemes and paths without effect', unmoved, ['=', forged.length * 2])
})
