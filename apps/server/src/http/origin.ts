import type { FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'

/**
 * CSRF check: calls must come from the same origin. Browsers too old to send Sec-Fetch-Site must send the site's own
 * Origin header. A call with neither is refused.
 */
export function refuseForeignOrigin(request: FastifyRequest): void {
  const from = request.headers['sec-fetch-site']
  const ours = from === undefined ? request.headers.origin === request.site.origin : from === 'same-origin'
  if (!ours) throw new AppError('ORIGIN_REFUSED')
}
