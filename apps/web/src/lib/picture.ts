import { avatarRules } from '@hufu/contract/avatar-rules'

/** The picture as the browser shows it, the right way up; throws where it can't. */
export async function openPicture(file: Blob): Promise<HTMLImageElement> {
  // Some browsers on phones don't know the type of a file: then decoding decides.
  if (file.type && !avatarRules.types.some((type) => type === file.type)) throw new Error(`no picture: ${file.type}`)
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
  } catch (error) {
    closePicture(image)
    throw error
  }
  return image
}

export const closePicture = (image: HTMLImageElement) => URL.revokeObjectURL(image.src)
