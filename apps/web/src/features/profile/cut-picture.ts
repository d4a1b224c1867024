import { avatarRules } from '@hufu/contract/avatar-rules'
import type { Crop } from './crop.ts'

/** Twice the stored size, so that the server can still downscale. */
const sideMost = avatarRules.side * 2
const quality = 0.9

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
