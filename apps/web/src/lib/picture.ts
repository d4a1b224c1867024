import { avatarRules } from '@hufu/contract/avatar-rules'
import type { Crop } from '../features/profile/crop.ts'

/** Twice what is kept, so that the server still has something to sharpen from. */
const sideMost = avatarRules.side * 2
const quality = 0.9

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

/** The kept square as a small JPEG, so that also what is larger than the server takes can be chosen. */
export async function cutPicture(image: HTMLImageElement, { x, y, side }: Crop): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(sideMost, Math.max(1, Math.round(side)))
  const brush = canvas.getContext('2d')
  if (!brush) throw new Error('no canvas')
  // JPEG knows no transparency and would make it black.
  brush.fillStyle = '#ffffff'
  brush.fillRect(0, 0, canvas.width, canvas.height)
  brush.imageSmoothingQuality = 'high'
  brush.drawImage(image, x, y, side, side, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
  if (!blob) throw new Error('no picture')
  return blob
}
