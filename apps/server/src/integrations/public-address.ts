import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** IPv4 that is not public: own, private, shared, link-local, documentation, multicast, reserved. */
const inner = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The metadata service of clouds, which hands out secrets.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [network = '', length] = range.split('/')
  inner.addSubnet(network, Number(length), 'ipv4')
}

/** The allocated part of IPv6; whatever carries an IPv4 inside is outside of it, or listed below. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')
const special = new BlockList()
special.addSubnet('2001::', 23, 'ipv6')
special.addSubnet('2001:db8::', 32, 'ipv6')
special.addSubnet('2002::', 16, 'ipv6')
special.addSubnet('3fff::', 20, 'ipv6')

/** Whether an address is public, and not of this machine, its network or its provider. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !inner.check(address, 'ipv4')
  return family === 6 && global.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

export class NotPublic extends Error {}

/**
 * Resolves names as usual and refuses a name when one of its addresses isn't allowed: the address that was checked is
 * the one that is connected to.
 */
export function lookupAmong(isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      if (!found.every(({ address }) => isAllowed(address))) return callback(new NotPublic(host), [])
      const [first] = found
      if (options.all || !first) return callback(null, found)
      callback(null, first.address, first.family)
    })
  }
}

export const publicLookup = lookupAmong(isPublicAddress)
