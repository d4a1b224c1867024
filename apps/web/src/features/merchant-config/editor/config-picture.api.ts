import { pictureRules } from '@hufu/contract/picture-rules'
import { call } from '../../../lib/call/call.ts'
import { type Upload, uploading } from '../../../lib/call/upload.ts'
import { closePicture, openPicture } from '../../../lib/picture.ts'
import { type Config, textOf } from '../config.api.ts'

/** The keys of the config that name a picture, in the order in which they are shown. */
export const pictureKeys = ['logoIcon', 'logoImage', 'bg', 'vbg'] as const
export type PictureKey = (typeof pictureKeys)[number]

/** The text with another picture there, or with none. */
export function namePicture(text: string, key: PictureKey, path: string | undefined): string {
  const { [key]: _former, ...rest } = JSON.parse(text) as Config
  return textOf(path === undefined ? rest : { ...(JSON.parse(text) as Config), [key]: path })
}

/** Why a file can't be taken, before it is sent. */
export async function pictureFault(file: Blob): Promise<'unreadable' | 'tooLarge' | undefined> {
  if (file.size > pictureRules.bytes) return 'tooLarge'
  try {
    const image = await openPicture(file)
    const pixels = image.naturalWidth * image.naturalHeight
    closePicture(image)
    return pixels > pictureRules.pixels ? 'tooLarge' : undefined
  } catch {
    return 'unreadable'
  }
}

/** Uploads a picture and returns its path. It is not shown before the config names it. */
export async function addPicture(key: PictureKey, { file, ...upload }: Upload & { file: Blob }): Promise<string> {
  const options = { send: uploading(upload) }
  const logo = key === 'logoIcon' || key === 'logoImage'
  const { path } = logo
    ? await call('/api/merchant/config/logo', { file }, options)
    : await call('/api/merchant/config/background', { file }, options)
  return path
}
