import { z } from 'zod'
import { fetchPicture } from '../../integrations/wechat/picture.ts'
import { deleteOtherBlobs, insertBlob } from '../../platform/blobs.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { squarePicture } from '../../platform/images/image.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { setWechatAvatar } from './wechat.store.ts'

const wanted = z.object({ siteId: z.string(), userId: z.string(), openid: z.string(), picture: z.string() })

/** Copies a picture from WeChat, whose address expires when the user changes it there. */
export function wechatAvatarJob(deps: Pick<Deps, 'db' | 'cache' | 'config'>): Job {
  return {
    name: 'wechat-avatar',
    async run(data) {
      const { openid, picture, ...rest } = wanted.parse(data)
      const siteId = rest.siteId as SiteId
      const ownerId = rest.userId as UserId
      const file = await fetchPicture(deps.config.wechat.pictures, picture)
      if (!file) throw new Error('the picture could not be fetched')
      const avatar = {
        ownerId,
        kind: 'wechat-avatar',
        type: 'image/webp',
        bytes: await squarePicture(deps.config, file),
      } as const
      await changeUser(deps, siteId, ownerId, async (tx) => {
        const { id } = await insertBlob(tx, siteId, avatar)
        const bound = await setWechatAvatar(tx, siteId, ownerId, openid, id)
        await deleteOtherBlobs(tx, siteId, avatar, bound ? id : undefined)
      })
    },
  }
}
