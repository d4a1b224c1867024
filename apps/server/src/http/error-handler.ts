import type { ErrorCode } from '@hufu/contract/errors'
import type { FastifyError, FastifyInstance } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import type { Log } from '../platform/log.ts'
import { isDatabaseUnavailable } from '../platform/postgres/db.ts'
import { isRedisUnavailable } from '../platform/redis/client.ts'

/** Fastify's own refusals as errors of the contract. */
const refusals: Record<number, ErrorCode> = {
  400: 'INPUT_INVALID',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

function translate(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isDatabaseUnavailable(error) || isRedisUnavailable(error)) return new AppError('SERVICE_BUSY')
  const status = (error as FastifyError).statusCode ?? 500
  if (status < 500) return new AppError(refusals[status] ?? 'INPUT_INVALID')
  return new AppError('INTERNAL_ERROR')
}

/** The only place where an error becomes an answer. */
export function handleErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = translate(error)
    if (failure !== error && failure.status >= 500) log.error({ err: error, id: request.id }, 'call failed')
    if (failure.code === 'SERVICE_BUSY') reply.header('retry-after', '1')
    // The page treats an answer without a code as a network error and retries, which is right for transient failures.
    if (failure.code === 'SERVICE_BUSY' && request.url === '/api/meta') return reply.code(503).send()
    if (failure.details?.retryAfter) reply.header('retry-after', String(failure.details.retryAfter))
    // A user who typed an address reads a sentence, not an object.
    if (!request.url.startsWith('/api/')) reply.type('text/plain; charset=utf-8')
    return reply.code(failure.status).send(request.url.startsWith('/api/') ? failure.body() : failure.message)
  })
}
