import { avatarFile } from '@hufu/contract/files'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '../../http/address.ts'
import type { App } from '../../http/app.ts'
import { countCall } from '../../http/limit.ts'
import { forGood, pictureHead } from '../../http/picture.ts'
import { AppError } from '../../platform/app-error.ts'
import { readAvatar } from '../../platform/blobs.ts'
import { isUuid, type UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'

const { path, limit } = avatarFile

/** The picture of a user: immutable under the time it was set, revalidated under any other address. */
export function avatarRoutes(app: App, deps: Pick<Deps, 'db' | 'redis'>): void {
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.route = path
    const { site, address } = request
    const { id, t } = request.query as Record<string, unknown>
    const wait = await countCall(deps.redis, `${site.id}:${path}:${addressBucket(address)}`, limit)
    if (wait > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: wait })
    const known = typeof id === 'string' && isUuid(id)
    const picture = known ? await readAvatar(deps.db, site.id, id as UserId) : undefined
    // Whether there is such a user is not revealed.
    if (!picture) throw new AppError('NOT_FOUND')
    const etag = `"${picture.time}"`
    const unchanging = t === String(picture.time)
    reply.headers({
      ...pictureHead,
      'content-type': picture.type,
      'cache-control': unchanging ? `private, ${forGood}` : 'no-cache',
      etag,
    })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.send(picture.bytes)
  }
  app.get(path, answer)
}
