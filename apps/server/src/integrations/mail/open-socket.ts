import { connect, isIP, type Socket } from 'node:net'
import { isPublicAddress, lookupAmong, NotPublic } from '../public-address.ts'

type Opened = (error: Error | null, socket?: { connection: Socket }) => void

/** From resolving the name to the connection. */
const connectWithin = 3_000

/**
 * A site's mail server is on a public address or in a network that the platform lists: a config can't reach the
 * platform's internal services (SSRF). The address that was checked is the one that is connected to.
 */
export function socketOpener(isListed: (address: string) => boolean) {
  const isAllowed = (address: string) => isPublicAddress(address) || isListed(address)
  const lookup = lookupAmong(isAllowed)
  return ({ host = '', port = 0 }: { host?: string | undefined; port?: number | string | undefined }, done: Opened) => {
    if (isIP(host) !== 0 && !isAllowed(host)) return done(new NotPublic(host))
    const socket = connect({ host, port: Number(port), lookup })
    const timer = setTimeout(() => socket.destroy(tooLate()), connectWithin)
    socket.once('close', () => clearTimeout(timer))
    socket.once('error', done)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', done)
      done(null, { connection: socket })
    })
  }
}

const tooLate = () => Object.assign(new Error('no connection'), { code: 'ETIMEDOUT', timeoutType: 'CONNECT_TIMEOUT' })
