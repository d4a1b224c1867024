import type { FastifyInstance } from 'fastify'
import { AppError } from '../platform/app-error.ts'

/** The input of a call that takes none. */
export const emptyBody = Object.freeze({})

/** JSON is the only body a call takes; no body at all is an empty object. Keys that address prototypes are refused. */
export function parseJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // PostgreSQL has no NUL in texts, and no keyboard types one.
    if (typeof body === 'string' && body.includes('\\u0000')) done(new AppError('INPUT_INVALID'))
    else if (body === '' || body === '{}') done(null, emptyBody)
    else void parse(request, body as string, done)
  })
}
