import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../core/config.ts'

/** Finds the address a call came from. */
export type AddressOf = (request: FastifyRequest) => string

const unmapped = (address: string) =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address

function proxyList(cidrs: string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/')
    const family = isIP(network)
    const prefix = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits)
    if (family === 0 || !Number.isInteger(prefix))
      throw new Error(`HUFU_TRUSTED_PROXIES: ${cidr} isn't an address range`)
    list.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/**
 * The one named header counts only when a trusted proxy wrote it, and is read from its end: the first entry that
 * isn't a trusted proxy is the caller. Anything unreadable there ends the walk at the last address that was sure.
 */
export function addressReader(config: Pick<Config, 'trustedProxies' | 'proxyHeader'>): AddressOf {
  const proxies = proxyList(config.trustedProxies)
  const trusted = (address: string) => proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return (request) => {
    let address = unmapped(request.socket.remoteAddress ?? '0.0.0.0')
    if (config.trustedProxies.length === 0) return address
    const header = request.headers[config.proxyHeader]
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? ''))
      .split(',')
      .map((hop) => unmapped(hop.trim()))
    while (trusted(address) && hops.length > 0) {
      const before = hops.pop() ?? ''
      if (isIP(before) === 0) break
      address = before
    }
    return address
  }
}

/** One counter a household: an IPv6 customer owns a whole /64. */
export function addressBucket(address: string): string {
  return isIP(address) === 6 ? `${network(address, 4)}::/64` : address
}

/** Enough of an address to see a pattern in the log, not enough to name a household. */
export function maskedAddress(address: string): string {
  return isIP(address) === 6 ? `${network(address, 3)}::` : `${address.slice(0, address.lastIndexOf('.'))}.0`
}

/** The first groups of an IPv6 address, written one way however it was spelled. */
function network(address: string, groups: number): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...middle, ...right]
    .slice(0, groups)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
