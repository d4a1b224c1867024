import type { FastifyReply, FastifyRequest } from 'fastify'
import { maskedAddress } from './address.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The line every call leaves. Put together by hand because it is the hottest one; every part is ours or a number. */
export function callLine(request: FastifyRequest, reply: FastifyReply, ms: number): string {
  const method = methods.has(request.method) ? request.method : 'OTHER'
  const site = request.site ? `"site":"${request.site.id}",` : ''
  return `{"level":30,"time":"${new Date().toISOString()}","pid":${process.pid},"id":"${request.id}",${site}"method":"${method}","route":"${request.route}","status":${reply.raw.statusCode},"ms":${ms.toFixed(1)},"from":"${maskedAddress(request.address)}","msg":"call"}\n`
}
