import type { Socket } from 'node:net'
import { freeBuffer } from '../free-buffer.ts'

/** One line of JSON with the number of bytes that follow it, and the bytes. */
export interface Frame {
  head: unknown
  bytes: Buffer
}

/** The most bytes of a line. */
const longestLine = 256

const lengthOf = (head: unknown): number => {
  const { length = 0 } = typeof head === 'object' && head !== null ? (head as { length?: unknown }) : {}
  return Number.isInteger(length) && (length as number) >= 0 ? (length as number) : Number.POSITIVE_INFINITY
}

/** The file isn't copied: large ones would be in memory twice. */
export function writeFrame(socket: Socket, head: unknown, bytes?: Uint8Array): void {
  socket.write(`${JSON.stringify(head)}\n`)
  if (bytes) socket.write(bytes)
}

/** Rejects where the other side sends too much, sends what can't be parsed, or ends early. */
export function readFrame(socket: Socket, most: number): Promise<Frame> {
  const frame = Promise.withResolvers<Frame>()
  let line: Buffer | undefined = Buffer.alloc(0)
  let head: unknown
  let bytes = Buffer.alloc(0)
  let taken = 0
  const fail = (words: string) => {
    frame.reject(new Error(words))
    socket.destroy()
  }
  const fill = (chunk: Buffer) => {
    if (chunk.length > bytes.length - taken) return fail('more than was announced')
    taken += chunk.copy(bytes, taken)
    if (taken === bytes.length) frame.resolve({ head, bytes })
  }
  const take = (chunk: Buffer) => {
    if (line === undefined) {
      fill(chunk)
      return freeBuffer(chunk)
    }
    line = Buffer.concat([line, chunk])
    const end = line.indexOf(10)
    if (end > longestLine || (end < 0 && line.length > longestLine)) return fail('a line without end')
    if (end < 0) return
    const rest = line.subarray(end + 1)
    try {
      head = JSON.parse(line.toString('utf8', 0, end))
    } catch {
      return fail('no JSON')
    }
    line = undefined
    const length = lengthOf(head)
    if (length > most) return fail('too long')
    bytes = Buffer.from(new ArrayBuffer(length))
    fill(rest)
  }
  socket.on('data', take)
  socket.on('error', () => fail('broken'))
  socket.once('close', () => fail('ended'))
  return frame.promise
}
