import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { pictureRules, pictureSizes } from '@hufu/contract/picture-rules'
import { z } from 'zod'
import type { DecoderAddress } from './platform/config/decoder-address.ts'
import { readFrame, writeFrame } from './platform/images/decoder-frame.ts'
import { decodeHere } from './platform/images/image.ts'

const asked = z.object({ use: z.enum(['avatar', ...(Object.keys(pictureSizes) as (keyof typeof pictureSizes)[])]) })

/** One connection decodes one picture. */
const mostConnections = 100
const silence = 60_000

async function answer(socket: Socket): Promise<void> {
  const { head, bytes } = await readFrame(socket, pictureRules.bytes)
  const { use } = asked.parse(head)
  const decoded = await decodeHere({ loadShedding: true }, bytes, use).catch(() => 'SERVICE_BUSY' as const)
  if (typeof decoded === 'string') writeFrame(socket, decoded)
  else writeFrame(socket, { width: decoded.width, height: decoded.height, length: decoded.bytes.length }, decoded.bytes)
  socket.end()
}

/**
 * Decodes pictures for the other processes. It has no key and no store address, and runs as its own user without a
 * network: an attacker who takes over the decoder gains only the pictures that follow.
 */
export async function serveDecoder(address: DecoderAddress): Promise<Server> {
  const server = createServer((socket) => {
    socket.setTimeout(silence, () => socket.destroy())
    answer(socket).catch(() => socket.destroy())
  })
  server.maxConnections = mostConnections
  // Left behind by a process that was killed.
  if ('path' in address) rmSync(address.path, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
  // Connections come from another user; there is nothing to protect here.
  if ('path' in address) chmodSync(address.path, 0o666)
  return server
}
