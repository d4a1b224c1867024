import { pictureRules } from '@hufu/contract/picture-rules'
import { closePicture, openPicture } from '../../../lib/picture.ts'

/** Larger than the server stores, so that it can still downscale. */
const sideMost = 2_560
/** The first that is small enough is taken. */
const qualities = [0.9, 0.75, 0.5]

export type Unfit = 'unreadable' | 'tooLarge'

/** A file the server accepts: unchanged, or downscaled like most phone photos. Else the reason. */
export async function fitPicture(file: Blob): Promise<Blob | Unfit> {
  const image = await openPicture(file).catch(() => undefined)
  if (!image) return 'unreadable'
  try {
    const { naturalWidth: width, naturalHeight: height } = image
    if (file.size <= pictureRules.bytes && width * height <= pictureRules.pixels) return file
    return await smaller(image)
  } catch {
    return 'tooLarge'
  } finally {
    closePicture(image)
  }
}

async function smaller(image: HTMLImageElement): Promise<Blob | Unfit> {
  const canvas = draw(image)
  for (const quality of qualities) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
    if (blob && blob.size <= pictureRules.bytes) return blob
  }
  return 'tooLarge'
}

function draw(image: HTMLImageElement): HTMLCanvasElement {
  const { naturalWidth: width, naturalHeight: height } = image
  const scale = Math.min(1, sideMost / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const brush = canvas.getContext('2d')
  if (!brush) throw new Error('no canvas')
  // JPEG knows no transparency and would make it black.
  brush.fillStyle = '#ffffff'
  brush.fillRect(0, 0, canvas.width, canvas.height)
  brush.imageSmoothingQuality = 'high'
  brush.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas
}
