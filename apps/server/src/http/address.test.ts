import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { addressBucket, addressReader, maskedAddress } from './address.ts'

const behind = addressReader({ trustedProxies: ['10.0.0.0/8', 'fd00::/8'], proxyHeader: 'x-forwarded-for' })
const request = (remoteAddress: string, header?: string | string[]) =>
  ({
    socket: { remoteAddress },
    headers: header === undefined ? {} : { 'x-forwarded-for': header },
  }) as unknown as FastifyRequest

test.each([
  ['no header', '10.0.0.1', undefined, '10.0.0.1'],
  ['one hop', '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['a forged start', '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['two trusted hops', '10.0.0.1', '1.2.3.4, 10.9.9.9', '1.2.3.4'],
  ['a caller that is no proxy', '8.8.8.8', '1.2.3.4', '8.8.8.8'],
  ['rubbish', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['rubbish behind a proxy', '10.0.0.1', '1.2.3.4, evil, 10.2.2.2', '10.2.2.2'],
  ['empty', '10.0.0.1', '', '10.0.0.1'],
  ['a port', '10.0.0.1', '1.2.3.4:80', '10.0.0.1'],
  ['mapped IPv4', '::ffff:10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
  ['mapped IPv4 in groups', '10.0.0.1', '0:0:0:0:0:FFFF:0102:0304', '1.2.3.4'],
  ['a zone', '10.0.0.1', 'fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['two headers', '10.0.0.1', ['6.6.6.6', '1.2.3.4'], '1.2.3.4'],
  ['IPv6', 'fd00::1', '2001:db8::5', '2001:db8:0:0:0:0:0:5'],
])('the caller behind a proxy: %s', (_title, socket, header, address) => {
  expect(behind(request(socket, header))).toBe(address)
})

test('without trusted proxies no header counts', () => {
  const direct = addressReader({ trustedProxies: [], proxyHeader: 'x-forwarded-for' })
  expect(direct(request('10.0.0.1', '1.2.3.4'))).toBe('10.0.0.1')
})

test.each([
  'everyone',
  '10.0.0.0/',
  '10.0.0.0/ ',
  '10.0.0.0/0x8',
  '10.0.0.0/8/8',
  '10.0.0.0/33',
  '::1/129',
  'fe80::%1/64',
])('a range that is none stops the start: %s', (range) => {
  expect(() => addressReader({ trustedProxies: [range], proxyHeader: 'x' })).toThrow(`HUFU_TRUSTED_PROXIES: ${range}`)
})

test.each([
  '2001:db8:0:1::1',
  '2001:0db8:0000:0001:0000:0000:0000:0001',
  '2001:DB8:0:1::ffff',
  '2001:db8::1:0:0:1:2',
  '2001:db8:0:1:9:8:7:6',
])('one household is one bucket however it is spelled: %s', (address) => {
  expect(addressBucket(address)).toBe('2001:db8:0:1::/64')
})

test('IPv4 addresses are buckets of their own; the log sees a part alone', () => {
  expect(addressBucket('1.2.3.4')).toBe('1.2.3.4')
  expect(maskedAddress('1.2.3.4')).toBe('1.2.3.0')
  expect(maskedAddress('2001:db8:1:2::3')).toBe('2001:db8:1::')
})
