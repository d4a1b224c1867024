import type { FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'

/**
 * A browser says where a call comes from. Ours come from the same origin; where the browser is too old to say so
 * itself, its Origin header must be the site's own. Silence is refused.
 */
export function refuseForeignOrigin(request: FastifyRequest): void {
  const from = request.headers['sec-fetch-site']
  const ours = from === undefined ? request.headers.origin === request.site.origin : from === 'same-origin'
  if (!ours) throw new AppError('ORIGIN_REFUSED')
}
