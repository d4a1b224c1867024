import { Readable } from 'node:stream'
import { userExportFile } from '@hufu/contract/files'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { createCookies } from '../../http/cookies.ts'
import { admit } from '../../http/guard.ts'
import { startedHere } from '../../http/navigation.ts'
import { withinLimit } from '../../http/serve.ts'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import { openExport } from './user-export.service.ts'

const { path } = userExportFile
/** A browser that reads nothing for so long is disconnected. */
const stalledMs = 60_000

/** The file of an export, streamed as fast as the browser reads. */
export function userExportRoutes(app: App, deps: Deps): void {
  const cookies = createCookies(deps.config)

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.route = path
    const { site, query } = request
    if (!startedHere(request)) throw new AppError('ORIGIN_REFUSED')
    await withinLimit(deps, userExportFile, request)
    const caller = await admit(deps, request, userExportFile, cookies.readToken(request))
    const file = await openExport(deps, site, caller, (query as Record<string, unknown>).id)
    reply.headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-encoding': 'gzip',
      'content-disposition': `attachment; filename="${file.name}"`,
      'cache-control': 'no-store',
    })
    // A download may take minutes: it doesn't count as a call in progress.
    app.release(request)
    reply.raw.setTimeout(stalledMs, () => reply.raw.destroy())
    return reply.send(Readable.from(file.bytes, { highWaterMark: 1 }))
  }
  app.get(path, answer)
}
