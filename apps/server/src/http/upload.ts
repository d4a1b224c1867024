import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import { freeBuffer } from '../platform/free-buffer.ts'
import type { App } from './app.ts'
import { boundaryOf, fileIn } from './multipart.ts'

/** What all uploads in progress may hold in memory together. */
const mostHeld = 12 * 1024 * 1024
/** Room for the form around the file. */
const envelope = 16 * 1024

export interface UploadSteps {
  /** Refuses callers without access, before a byte of the body is read. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Ends when the file is no longer needed. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

interface Room {
  bytes: Uint8Array
  enter(): void
  leave(): void
}

let held = 0

/** Memory for a body, released when both are done: the answer, and the work that goes on when the caller hangs up. */
function takeRoom(length: number): Room {
  if (held + length > mostHeld) throw new AppError('SERVICE_BUSY')
  held += length
  const memory = new ArrayBuffer(length)
  let inside = 1
  return {
    bytes: new Uint8Array(memory),
    enter: () => void inside++,
    leave() {
      inside--
      if (inside > 0) return
      held -= length
      // Frees it now; the garbage collector would let many of them pile up first.
      memory.transfer(0)
    },
  }
}

const unreadable = () => new AppError('INPUT_INVALID', { field: 'file' })

/** A call whose body is a form with one file. Only here are forms parsed, and nothing else is. */
export function serveUpload(app: App, path: string, upload: { bytes: number }, steps: UploadSteps): void {
  const most = upload.bytes + envelope
  const rooms = new WeakMap<FastifyRequest, Room>()

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await steps.admit(request, reply)
    // A caller that hung up already emits no second 'close', which would never release the memory.
    if (reply.raw.destroyed) throw unreadable()
    const length = Number(request.headers['content-length'] ?? most)
    if (length > most) throw new AppError('IMAGE_TOO_LARGE')
    const room = takeRoom(length)
    rooms.set(request, room)
    reply.raw.once('close', () => room.leave())
  }

  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await enter(request, reply)
    } catch (error) {
      // Read to its end all the same: a caller that is still sending would never see the answer.
      request.raw.on('data', (chunk: Buffer) => drop(request.raw, chunk))
      throw error
    }
  }

  async function parse(request: FastifyRequest, payload: IncomingMessage): Promise<{ file: Uint8Array }> {
    const boundary = boundaryOf(request.headers['content-type'] ?? '')
    const room = rooms.get(request)
    if (boundary === undefined || !room) throw unreadable()
    const file = fileIn(await receive(payload, room.bytes), boundary)
    if (!file) throw unreadable()
    if (file.length > upload.bytes) throw new AppError('IMAGE_TOO_LARGE')
    return { file }
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const room = rooms.get(request)
    room?.enter()
    await steps.answer(request, reply).finally(() => room?.leave())
    return reply
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('multipart/form-data', parse)
    scope.post(path, { onRequest }, answer)
  })
}

/** Chunks of a socket are not shared with other code. */
function drop({ socket }: IncomingMessage, chunk: Buffer): void {
  if (socket instanceof Socket) freeBuffer(chunk)
}

/** The body, copied into its reserved memory. */
async function receive(payload: IncomingMessage, room: Uint8Array): Promise<Buffer> {
  let length = 0
  try {
    for await (const chunk of payload as AsyncIterable<Buffer>) {
      if (length + chunk.length > room.length) throw new AppError('IMAGE_TOO_LARGE')
      room.set(chunk, length)
      length += chunk.length
      drop(payload, chunk)
    }
  } catch (error) {
    // A caller that hung up is not our failure.
    throw error instanceof AppError ? error : unreadable()
  }
  return Buffer.from(room.buffer, room.byteOffset, length)
}
