import { sendConfirmCode } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { few, type Harness, openHarness } from './harness.ts'
import { tally, together } from './http.ts'

const limit = sendConfirmCode.limit?.calls ?? 0
const count = few(10_000, 1_000)

let t: Harness
let sites: TestSite[]
beforeAll(async () => {
  t = await openHarness()
  sites = await t.sites(3)
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
  console.log(`A05: ${count} addresses of one /64, ${through} calls passed a limit of ${limit}`)
  expect(through).toBe(limit)
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
  console.log(`A05: ${addresses.length} spellings of ${name}, ${through} calls passed a limit of ${limit}`)
  expect(through).toBe(limit)
})
