import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems hand out to outgoing connections, and so that the second port of a Redis Cluster node lies
 * below them, too.
 */
const range = { first: 12_000, count: 10_000 }
/** A node of a Redis Cluster also listens this much higher. */
const busOffset = 10_000

/**
 * Holds the UDP port of the same number until this process ends, however it ends: of all processes that reserve here, one can.
 * No server of ours uses UDP.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(socket, 'listening')
    socket.unref()
    return true
  } catch {
    socket.close()
    return false
  }
}

/** Whether a server can listen there: programs that reserve nothing use ports, too. */
async function canListen(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}

/** A port on which nothing listens, and which no other caller is given as long as this process runs; the search begins anywhere. */
export async function freePort(start = range.first + randomInt(range.count)): Promise<number> {
  for (let tried = 0; tried < range.count; tried++) {
    const port = range.first + ((start - range.first + tried) % range.count)
    if ((await reserve(port)) && (await canListen(port)) && (await canListen(port + busOffset))) return port
  }
  throw new Error(`no port between ${range.first} and ${range.first + range.count - 1} is free`)
}

/** As many different ones. */
export const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => freePort()))
