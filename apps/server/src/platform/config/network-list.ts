import { BlockList, isIP } from 'node:net'

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Whether an address is in one of the ranges that a variable of the environment lists. */
export function networkList(variable: string, cidrs: string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const cidr of cidrs) {
    // `10.0.0.0/` must not come to mean every address.
    const [, network = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(cidr) ?? []
    const family = isIP(network)
    const width = family === 4 ? 32 : 128
    const prefix = Number(bits ?? width)
    if (family === 0 || prefix > width) throw new Error(`${variable}: ${cidr} isn't an address range`)
    list.addSubnet(network, prefix, familyOf(network))
  }
  return (address) => list.check(address, familyOf(address))
}
