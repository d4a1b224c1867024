import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
}

interface StaticFile {
  type: string
  cache: string
  etag: string
  /** By content encoding; the plain one is always there. */
  bodies: Map<string, Buffer>
}

export type StaticFiles = ReadonlyMap<string, StaticFile>

/** The built web application, about a megabyte, read into memory once. */
export function readStaticFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const address = `/${relative(folder, path)}`
    const type = types[extname(entry.name)]
    if (!entry.isFile() || !type || address === '/index.html' || address.startsWith('/.')) continue
    files.set(address, readFile(path, address, type))
  }
  return files
}

function readFile(path: string, address: string, type: string): StaticFile {
  const plain = readFileSync(path)
  const bodies = new Map([['', plain]])
  for (const [encoding, extension] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const) {
    if (existsSync(path + extension)) bodies.set(encoding, readFileSync(path + extension))
  }
  return {
    type,
    // The names under /assets/ hold a hash of the content.
    cache: address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`,
    bodies,
  }
}

export function sendStaticFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  reply.headers({ 'content-type': file.type, 'cache-control': file.cache, etag: file.etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  return sendEncoded(request, reply, file.bodies)
}

/** Sends the smallest body the browser understands. */
export function sendEncoded(request: FastifyRequest, reply: FastifyReply, bodies: Map<string, Buffer>): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = ['br', 'gzip'].find((name) => bodies.has(name) && accepted.includes(name)) ?? ''
  if (encoding) reply.header('content-encoding', encoding)
  return reply.send(bodies.get(encoding))
}
