const hostsOf = (address: string): string[] => {
  const [, hosts = ''] = /^[\w+]+:\/\/(?:[^/?]*@)?([^/?]*)/.exec(address) ?? []
  return hosts.split(',').map((host) => host.replace(/:\d+$/, ''))
}

/** This machine, or a socket of it. */
const isHere = (host: string): boolean => /^(|%2f.*|localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i.test(host)

/** A password stands between the first colon and the last @ before the hosts. */
const hasPassword = (address: string): boolean => /^[\w+]+:\/\/[^/?:]*:[^/?]+@/.test(address)

const isEncrypted = (address: string): boolean =>
  address.startsWith('redis') ? address.startsWith('rediss') : /[?&]sslmode=verify-full(&|$)/.test(address)

/** Whether it leads to another machine. */
export const isElsewhere = (address: string): boolean => !hostsOf(address).every(isHere)

/** Of the addresses of stores, those that lead to another machine without a password. */
export function withoutPassword(addresses: Record<string, string | undefined>): string[] {
  return Object.entries(addresses).flatMap(([name, address]) =>
    address === undefined || hasPassword(address) || !isElsewhere(address) ? [] : [name],
  )
}

/** The store addresses that lead over a network without TLS and certificate verification. */
export function inTheClear(addresses: Record<string, string | undefined>): string[] {
  return Object.entries(addresses).flatMap(([name, address]) =>
    address === undefined || isEncrypted(address) || !isElsewhere(address) ? [] : [name],
  )
}
