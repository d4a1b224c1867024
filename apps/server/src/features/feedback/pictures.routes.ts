import * as contract from '@hufu/contract/feedback'
import { feedbackPictureFile } from '@hufu/contract/files'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { createCookies } from '../../http/cookies.ts'
import { admit } from '../../http/guard.ts'
import { startedHere } from '../../http/navigation.ts'
import { pictureHead } from '../../http/picture.ts'
import { serve, withinLimit } from '../../http/serve.ts'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import { keepPicture, openPicture } from './pictures.service.ts'

const { path } = feedbackPictureFile
/** No longer than a conversation lasts: another user may use the same machine next. */
const cache = 'private, max-age=3600'

export function feedbackPictureRoutes(app: App, deps: Deps): void {
  const cookies = createCookies(deps.config)

  serve(app, deps, contract.addPicture, ({ file }, { site, caller }) => keepPicture(deps, site, caller, file))
  serve(app, deps, contract.addReplyPicture, ({ file }, { site, caller }) => keepPicture(deps, site, caller, file))

  /** A picture of a conversation, shown by one of our own pages. */
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.route = path
    const { site, query } = request
    if (!startedHere(request)) throw new AppError('ORIGIN_REFUSED')
    await withinLimit(deps, feedbackPictureFile, request)
    const caller = await admit(deps, request, feedbackPictureFile, cookies.readToken(request))
    const { id } = query as Record<string, unknown>
    // An id is never reused for another picture: a browser that has it and may still see it needs no bytes.
    const etag = `"${id}"`
    const bytes = await openPicture(deps, site, caller, id, request.headers['if-none-match'] === etag)
    reply.headers({ ...pictureHead, 'cache-control': cache, etag })
    return bytes ? reply.send(bytes) : reply.code(304).send()
  }
  app.get(path, answer)
}
