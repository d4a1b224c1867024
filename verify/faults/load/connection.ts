import { connect, type Socket } from 'node:net'

export interface Connection {
  /** Sends a whole request; one at a time. */
  send(request: string): void
  end(): void
}

export interface Listener {
  /** `last` where the server takes no more requests on this connection. */
  answered(status: number, last: boolean): void
  /** It can take no more requests; the one under way, if any, got no answer. */
  gone(): void
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** Where the answer at the beginning of the bytes ends; undefined while it is not whole. */
function answerEnd(bytes: Buffer, head: string, bodyAt: number): number | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bodyAt + Number(length) <= bytes.length ? bodyAt + Number(length) : undefined
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return bodyAt
  const end = bytes.indexOf(lastChunk, bodyAt)
  return end < 0 ? undefined : end + lastChunk.length
}

/**
 * A minimal HTTP client that separates one response from the next: node's own costs more than the server it would
 * measure.
 */
export function openConnection(url: string, listener: Listener): Connection {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let bytes: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const headAt = bytes.indexOf(headEnd)
    if (headAt < 0) return
    const head = bytes.toString('latin1', 0, headAt + 2)
    const end = answerEnd(bytes, head, headAt + headEnd.length)
    if (end === undefined) return
    bytes = bytes.subarray(end)
    const closing = /\r\nconnection: close/i.test(head)
    listener.answered(Number(head.slice(9, 12)), closing)
    if (closing) socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => listener.gone())
  return { send: (request) => void socket.write(request), end: () => void socket.destroy() }
}
