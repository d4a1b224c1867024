import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../platform/config/config.ts'
import { networkList } from '../platform/config/network-list.ts'

/** Finds the address a call came from. */
export type AddressOf = (request: FastifyRequest) => string

/** The eight groups of an IPv6 address, however it was spelled. */
function groupsOf(address: string): number[] {
  const embedded = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  if (embedded) {
    const [, head = '', ...bytes] = embedded
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number)
    return groupsOf(`${head}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`)
  }
  const [head = '', tail] = address.split('::')
  const read = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : [])
  const left = read(head)
  const right = read(tail)
  return tail === undefined ? left : [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

const written = (groups: number[]) => groups.map((group) => group.toString(16)).join(':')

/** One spelling for each address: no zone, and IPv4 inside IPv6 is IPv4. Undefined for anything else. */
function canonical(text: string): string | undefined {
  const address = text.replace(/%.*$/s, '')
  if (isIP(address) === 4) return address
  if (isIP(address) !== 6) return undefined
  const groups = groupsOf(address)
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return written(groups)
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/**
 * The named header counts only when a trusted proxy wrote it, and is read from its end: the first entry that isn't a
 * trusted proxy is the caller. An unreadable entry ends the search at the last trusted address.
 */
export function addressReader(config: Pick<Config, 'trustedProxies' | 'proxyHeader'>): AddressOf {
  const trusted = networkList('HUFU_TRUSTED_PROXIES', config.trustedProxies)
  return (request) => {
    const { remoteAddress = '' } = request.socket
    let address = isIP(remoteAddress) === 4 ? remoteAddress : (canonical(remoteAddress) ?? '0.0.0.0')
    if (config.trustedProxies.length === 0) return address
    const header = request.headers[config.proxyHeader]
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',')
    while (trusted(address) && hops.length > 0) {
      const before = canonical((hops.pop() ?? '').trim())
      if (before === undefined) break
      address = before
    }
    return address
  }
}

/** One counter for each household: an IPv6 customer owns a whole /64. */
export function addressBucket(address: string): string {
  return isIP(address) === 6 ? `${network(address, 4)}::/64` : address
}

/** Enough of an address to see a pattern in the log, not enough to identify a household. */
export function maskedAddress(address: string): string {
  return isIP(address) === 6 ? `${network(address, 3)}::` : `${address.slice(0, address.lastIndexOf('.'))}.0`
}

const network = (address: string, groups: number): string => written(groupsOf(address).slice(0, groups))
