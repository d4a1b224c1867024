const hostsOf = (address: string): string[] => {
  const [, hosts = ''] = /^[\w+]+:\/\/(?:[^/?]*@)?([^/?]*)/.exec(address) ?? []
  return hosts.split(',').map((host) => host.replace(/:\d+$/, ''))
}

/** This machine, or a socket of it. */
const isHere = (host: string): boolean => /^(|%2f.*|localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i.test(host)

const isEncrypted = (address: string): boolean =>
  address.startsWith('redis') ? address.startsWith('rediss') : /[?&]sslmode=verify-full(&|$)/.test(address)

/** Of the addresses of stores, those that lead over a network without TLS and a look at the certificate. */
export function inTheClear(addresses: Record<string, string | undefined>): string[] {
  return Object.entries(addresses).flatMap(([name, address]) =>
    address === undefined || isEncrypted(address) || hostsOf(address).every(isHere) ? [] : [name],
  )
}
