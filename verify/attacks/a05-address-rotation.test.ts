import { sendConfirmCode } from '@hufu/contract/login'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, number, openHarness } from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'
import { files } from './files.ts'
import { allEndpoints, allNavigations } from './samples.ts'

const limit = sendConfirmCode.limit?.calls ?? 0
const count = few(10_000, 300)

let t: Harness
let sites: TestSite[]
beforeAll(async () => {
  t = await openHarness()
  sites = await t.sites(4)
})
afterAll(() => t.close())

/** How many calls got past the counter of addresses. */
async function passed(site: TestSite | undefined, addresses: string[]): Promise<number> {
  if (!site) throw new Error('no site')
  const replies = await together(addresses.length, 50, (index) =>
    t.browser(site).call(sendConfirmCode, { ticket: 'x' }, addresses[index]),
  )
  const counts = tally(replies.map(({ code }) => code))
  expect(Object.keys(counts).sort()).toEqual(['LOGIN_CONFIRM_EXPIRED', 'TOO_MANY_REQUESTS'])
  return counts.LOGIN_CONFIRM_EXPIRED ?? 0
}

const hex = (value: number) => (value % 65_536).toString(16)

test('A05 ten thousand addresses of one /64 are one bucket', async () => {
  const addresses = Array.from({ length: count }, (_, i) => `2001:db8:aa:bb:${hex(i * 7)}:${hex(i)}:${hex(i * 3)}:1`)
  const through = await passed(sites[0], addresses)
  figure(`calls of ${count} addresses of one /64 that passed a limit of ${limit}`, through, ['=', limit])
})

const spellings = {
  'an IPv6 address': [
    '2001:db8:1:2::9',
    '2001:0db8:0001:0002:0000:0000:0000:0009',
    '2001:DB8:1:2::9',
    '2001:db8:1:2:0:0:0:9',
    '2001:db8:1:2::0:9',
    '2001:db8:1:2::0.0.0.9',
    '2001:db8:1:2:0::9',
    '  2001:db8:1:2::9 ',
  ],
  'an IPv4 address': [
    '203.0.113.9',
    '::ffff:203.0.113.9',
    '::FFFF:203.0.113.9',
    '0:0:0:0:0:ffff:203.0.113.9',
    '::ffff:cb00:7109',
    '0000:0000:0000:0000:0000:ffff:cb00:7109',
    '::ffff:CB00:7109',
    ' 203.0.113.9 ',
  ],
}

test.each(Object.entries(spellings))('A05 eight spellings of %s are one bucket', async (name, addresses) => {
  const calls = addresses.flatMap((address) => Array.from({ length: limit }, () => address))
  const through = await passed(sites[name.includes('6') ? 1 : 2], calls)
  figure(`calls in 8 spellings of ${name} that passed a limit of ${limit}`, through, ['=', limit])
})

/** Each kind of address in all its spellings, and the one name that it is counted under. */
const callers = [
  { bucket: '2001:db8:1:2::/64', addresses: [...spellings['an IPv6 address'], '2001:db8:1:2:ffff::1'] },
  { bucket: '203.0.113.9', addresses: spellings['an IPv4 address'] },
]

test('A05 the same holds at every call, navigation and file with a limit per address', async () => {
  const [, , , site] = sites
  if (!site) throw new Error('no site')
  const routes = [
    ...allEndpoints.flatMap(({ path, limit: own }) => (own ? [{ path, method: 'POST' }] : [])),
    ...allNavigations.map(({ path }) => ({ path, method: 'GET' })),
    ...files.flatMap(({ path, calls }) => (calls ? [{ path, method: 'GET' }] : [])),
  ]
  const apart: string[] = []
  for (const { path, method } of routes) {
    for (const { bucket, addresses } of callers) {
      const ask = (address: string) => {
        const own = { 'x-forwarded-for': address }
        return method === 'POST' ? t.browser(site).post(path, '[]', own) : t.browser(site).get(path, own)
      }
      await Promise.all(addresses.map(ask))
      const counted = Number(await t.deps.cache.get(`{limit:${site.id}:${path}:${bucket}}`))
      if (counted !== addresses.length) apart.push(`${path} ${bucket}: ${counted} of ${addresses.length}`)
    }
  }
  console.log(`A05: ${routes.length} routes that count addresses; ${apart.join('; ')}`)
  figure('routes at which spellings or neighbours are counted apart', apart.length, ['=', 0])
})

test('A05 and where the codes that one address asks for are counted', async () => {
  const site = await t.codeSite({ limits: { addressHour: 12, addressProof: 1_000 } })
  const neighbours = Array.from({ length: 40 }, (_, index) => `2001:db8:77:88:${hex(index * 131)}::${hex(index)}`)
  const sends = await together(neighbours.length, 10, (index) =>
    t.browser(site).call(sendMobileCode, number(fresh.mobile()), neighbours[index]),
  )
  figure(
    'codes sent of 40 asked for from one /64 that may have 12',
    sends.filter(({ status }) => status === 200).length,
    ['=', 12],
  )
})
