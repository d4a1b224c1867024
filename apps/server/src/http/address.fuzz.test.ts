import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { addressBucket, addressReader, maskedAddress } from './address.ts'

const hex = fc.nat(0xffff).map((group) => group.toString(16))
const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => bytes.join('.'))
/** All the ways to write one: capitals, leading zeroes, the gap anywhere or nowhere, IPv4 at the end, a zone. */
const v6 = fc.oneof(
  fc.ipV6(),
  fc
    .tuple(fc.array(hex, { maxLength: 6 }), fc.array(hex, { maxLength: 1 }))
    .map(([a, b]) => `${a.join(':')}::${b.join(':')}`),
  v4.map((address) => `::ffff:${address}`),
  v4.map((address) => `0:0:0:0:0:FFFF:${address}`),
  v4.map((address) => `64:ff9b::${address}`),
)
const address = fc.oneof(
  v4,
  v6,
  v6.map((one) => `${one}%eth0`),
)
const hop = fc.oneof(
  { weight: 4, arbitrary: address },
  { weight: 1, arbitrary: changed(address) },
  { weight: 1, arbitrary: nastyText },
)
const proxies = ['10.0.0.0/8', '::1', 'fd00::/8']
const calls = fc.record({
  from: fc.oneof(fc.constantFrom('10.1.2.3', '::ffff:10.1.2.3', '::1', 'fd00::1', ''), address),
  header: fc.oneof(
    fc.array(hop, { maxLength: 6 }).map((hops) => hops.join(', ')),
    longText,
  ),
})

const trusted = new BlockList()
trusted.addSubnet('10.0.0.0', 8, 'ipv4')
trusted.addSubnet('fd00::', 8, 'ipv6')
trusted.addAddress('::1', 'ipv6')
const isTrusted = (one: string) => trusted.check(one, isIP(one) === 6 ? 'ipv6' : 'ipv4')

const requestOf = (from: string, header?: string) =>
  ({ socket: { remoteAddress: from }, headers: { 'x-forwarded-for': header } }) as unknown as FastifyRequest
const read = addressReader({ trustedProxies: proxies, proxyHeader: 'x-forwarded-for' })
const readDirect = addressReader({ trustedProxies: [], proxyHeader: 'x-forwarded-for' })

/** One spelling, by the URL parser of Node. */
function plain(text: string): string | undefined {
  const bare = text.replace(/%.*$/s, '')
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : undefined
  const short = new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

/** All eight groups of it, as ours are kept. */
function whole(address: string): string {
  if (isIP(address) === 4) return address
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after].join(':')
}

/** The reference implementation of the search. */
function walked(from: string, header: string): string {
  let at = plain(from) ?? '0.0.0.0'
  for (const entry of header.split(',').reverse()) {
    const before = plain(entry.trim())
    if (!isTrusted(at) || before === undefined) break
    at = before
  }
  return at
}

fuzz(
  'forwarded',
  'the caller is the first from the end that no trusted proxy is, as a plain walk finds it',
  calls,
  ({ from, header }) => {
    const found = quick(header.length, () => read(requestOf(from, header)))
    expect(isIP(found)).not.toBe(0)
    expect(found).toBe(whole(walked(from, header)))
  },
)

fuzz('forwarded', 'only a trusted proxy is believed', calls, ({ from, header }) => {
  const direct = readDirect(requestOf(from, header))
  expect(direct).toBe(whole(plain(from) ?? '0.0.0.0'))
  if (!isTrusted(direct)) expect(read(requestOf(from, header))).toBe(direct)
})

const spelled = fc.record({ from: address, header: nastyText })

fuzz('forwarded', 'all spellings of an address are one, with one bucket and one mask', spelled, ({ from }) => {
  const one = readDirect(requestOf(from))
  expect(readDirect(requestOf(one))).toBe(one)
  expect(readDirect(requestOf(from.toUpperCase().replace('%ETH0', '%1')))).toBe(one)
  const bucket = addressBucket(one)
  expect(isIP(one) === 4 ? bucket === one : /^([0-9a-f]{1,4}:){4}:\/64$/.test(bucket)).toBe(true)
  expect(maskedAddress(one)).not.toBe(one.replace(/\.0$/, '.x'))
  if (isIP(one) === 6) expect(new URL(`http://[${maskedAddress(one)}]/`).hostname).toBeTruthy()
  else expect(maskedAddress(one)).toBe(one.replace(/\d+$/, '0'))
})

const range = fc.oneof(
  fc.tuple(address, fc.oneof(fc.nat(140).map(String), nastyText)).map(([network, bits]) => `${network}/${bits}`),
  changed(fc.constantFrom('10.0.0.0/8', 'fd00::/8', '192.168.1.1')),
)

/** What a range trusts, by Node's own list; undefined where it is none. */
function plainRange(text: string): BlockList | undefined {
  const [network = '', bits, ...more] = text.split('/')
  const family = isIP(network)
  const width = family === 4 ? 32 : 128
  if (family === 0 || network.includes('%') || more.length > 0) return undefined
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > width)) return undefined
  const list = new BlockList()
  list.addSubnet(network, Number(bits ?? width), family === 4 ? 'ipv4' : 'ipv6')
  return list
}

const ranged = fc.record({ range, probe: fc.oneof(v4, v6) })

fuzz(
  'proxy-range',
  'a range that is none is refused by name, any other trusts what it says',
  ranged,
  ({ range, probe }) => {
    const make = () => addressReader({ trustedProxies: [range], proxyHeader: 'x-forwarded-for' })
    const list = plainRange(range)
    if (!list) return void expect(make).toThrow(/^HUFU_TRUSTED_PROXIES: /)
    const from = readDirect(requestOf(probe))
    const wanted = list.check(from, isIP(from) === 6 ? 'ipv6' : 'ipv4') ? '203.0.113.7' : from
    expect(make()(requestOf(probe, '203.0.113.7'))).toBe(wanted)
  },
)
