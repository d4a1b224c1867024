import { z } from 'zod'
import { deleteOtherBlobs, insertBlob } from '../../core/blobs.ts'
import type { Deps } from '../../core/deps.ts'
import type { SiteId, UserId } from '../../core/ids.ts'
import type { Job } from '../../core/jobs.ts'
import { squarePicture } from '../../core/picture.ts'
import { buryUser } from '../../core/sessions.ts'
import { fetchPicture } from '../../integrations/wechat/picture.ts'
import { setWechatAvatar } from './wechat.store.ts'

const wanted = z.object({ siteId: z.string(), userId: z.string(), openid: z.string(), picture: z.string() })

/** Copies a picture from WeChat, whose address dies when the person changes it there. */
export function wechatAvatarJob(deps: Pick<Deps, 'db' | 'cache' | 'config'>): Job {
  return {
    name: 'wechat-avatar',
    async run(data) {
      const { openid, picture, ...rest } = wanted.parse(data)
      const siteId = rest.siteId as SiteId
      const ownerId = rest.userId as UserId
      const file = await fetchPicture(deps.config.wechat.pictures, picture)
      if (!file) throw new Error('the picture was not to be had')
      const avatar = {
        ownerId,
        kind: 'wechat-avatar',
        type: 'image/webp',
        bytes: await squarePicture(deps.config, file),
      } as const
      await deps.db.transaction().execute(async (tx) => {
        const { id } = await insertBlob(tx, siteId, avatar)
        const bound = await setWechatAvatar(tx, siteId, ownerId, openid, id)
        await deleteOtherBlobs(tx, siteId, avatar, bound ? id : undefined)
      })
      await buryUser(deps, siteId, ownerId)
    },
  }
}
