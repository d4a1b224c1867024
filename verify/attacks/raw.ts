import { connect } from 'node:net'

export interface RawReply {
  status: number
  /** Status line and headers as they came. */
  head: string
  body: string
}

/** Sends a request exactly as written: clients would refuse to send most of what an attacker writes. */
export function sendRaw(url: string, lines: string[], body = ''): Promise<RawReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      const length = `content-length: ${Buffer.byteLength(body)}`
      socket.write(`${[...lines, length, 'connection: close'].join('\r\n')}\r\n\r\n${body}`)
    })
    socket.setTimeout(60_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const [head = '', ...rest] = text.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') })
    })
  })
}

export const headerOf = ({ head }: RawReply, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()

/** Writes bytes on a connection of their own; everything that came back until nothing more did. */
export function exchangeBytes(url: string, bytes: string, quiet = 400): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    const end = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(quiet, end)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', end)
    socket.on('close', end)
  })
}

/** How many requests were answered, leaving out 100 Continue. */
export const answersIn = (text: string): number => text.match(/HTTP\/1\.1 [2-5]\d\d/g)?.length ?? 0
