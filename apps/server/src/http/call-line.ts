import type { FastifyReply, FastifyRequest } from 'fastify'
import { maskedAddress } from './address.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

let lastMoment = 0
let lastTime = ''

/** Many calls end in the same millisecond; its text is formatted once. */
function time(now: number): string {
  if (now !== lastMoment) {
    lastMoment = now
    lastTime = new Date(now).toISOString()
  }
  return lastTime
}

let lastAddress = ''
let lastMasked = ''

/** Behind a proxy the calls of one page follow each other. */
function masked(address: string): string {
  if (address !== lastAddress) {
    lastAddress = address
    lastMasked = maskedAddress(address)
  }
  return lastMasked
}

/** Whole numbers are written ten times as fast as fractions. */
function tenths(ms: number): string {
  const all = Math.round(ms * 10)
  return `${Math.floor(all / 10)}.${all % 10}`
}

/**
 * The log line of every call. Built by hand because it is the hottest one; every part is generated here or a number.
 */
export function callLine(request: FastifyRequest, reply: FastifyReply, ms: number): string {
  const method = methods.has(request.method) ? request.method : 'OTHER'
  const site = request.site ? `"site":"${request.site.id}",` : ''
  return `{"level":30,"time":"${time(Date.now())}","pid":${process.pid},"id":"${request.id}",${site}"method":"${method}","route":"${request.route}","status":${reply.raw.statusCode},"ms":${tenths(ms)},"from":"${masked(request.address)}","msg":"call"}\n`
}
