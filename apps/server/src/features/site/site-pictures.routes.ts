import { sitePictureFile } from '@hufu/contract/files'
import { addBackground, addLogo } from '@hufu/contract/merchant-config'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { forGood, pictureHead } from '../../http/picture.ts'
import { serve, withinLimit } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { keepSitePicture, openSitePicture } from './site-pictures.service.ts'
import { createPictureMemory } from './site-pictures-memory.ts'

const { path } = sitePictureFile

export function sitePictureRoutes(app: App, deps: Deps): void {
  serve(app, deps, addLogo, ({ file }, { site, caller }) => keepSitePicture(deps, site, caller, 'logo', file))
  serve(app, deps, addBackground, ({ file }, { site, caller }) =>
    keepSitePicture(deps, site, caller, 'background', file),
  )

  const memory = createPictureMemory()

  async function load(request: FastifyRequest, id: unknown): Promise<Buffer> {
    await withinLimit(deps, sitePictureFile, request)
    const picture = await openSitePicture(deps, request.site, id)
    memory.keep(request.site, picture.id, picture.bytes)
    return picture.bytes
  }

  /** A logo or background, public; those in the present config need no store. */
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.route = path
    const { id } = request.query as Record<string, unknown>
    const bytes = memory.find(request.site, id) ?? (await load(request, id))
    return reply.headers({ ...pictureHead, 'cache-control': `public, ${forGood}` }).send(bytes)
  }
  app.get(path, answer)
}
