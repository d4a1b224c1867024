import { personalDataFile } from '@hufu/contract/files'
import * as contract from '@hufu/contract/personal-data'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { createCookies } from '../../http/cookies.ts'
import { admit } from '../../http/guard.ts'
import { startedHere } from '../../http/navigation.ts'
import { serve, withinLimit } from '../../http/serve.ts'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import { beginExport, listOwnExports, openArchive } from './data-export.service.ts'

const { path } = personalDataFile

export function dataExportRoutes(app: App, deps: Deps): void {
  const cookies = createCookies(deps.config)

  serve(app, deps, contract.exportData, (_input, { site, caller, address }) =>
    beginExport(deps, site, { caller, address }),
  )
  serve(app, deps, contract.dataExports, (_input, { site, caller }) => listOwnExports(deps, site, caller))

  /** The archive, fetched by the browser itself. */
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.route = path
    const { site, query, address } = request
    if (!startedHere(request)) throw new AppError('ORIGIN_REFUSED')
    await withinLimit(deps, personalDataFile, request)
    const caller = await admit(deps, request, personalDataFile, cookies.readToken(request))
    const { name, bytes } = await openArchive(deps, site, { caller, address }, (query as Record<string, unknown>).id)
    reply.headers({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    })
    return reply.send(bytes)
  }
  app.get(path, answer)
}
