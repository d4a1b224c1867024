import { avatarRules } from '@hufu/contract/avatar-rules'
import sharp, { type Metadata } from 'sharp'

// A process of its own that draws pictures again: each message is a file, each answer what is kept of it or why not.

export type Drawn = Uint8Array | 'IMAGE_TOO_LARGE' | 'IMAGE_INVALID'

// Whatever a file calls itself, nothing else is ever opened: an SVG could name other files and addresses.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.concurrency(1)
sharp.cache(false)

/** What a progressive JPEG of 16 megapixels takes; only freaks take more, such as interlaced PNG with 16 bits a channel. */
const heaviest = 96_000_000

/** Bytes that are in memory at one time where a picture can be read only as a whole, not line by line. */
function weightOf({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  const sample = format === 'jpeg' || depth !== 'uchar' ? 2 : 1
  return isProgressive ? width * height * channels * sample : 0
}

/** Upright, cut to a square around the centre; nothing but the pixels is carried over. */
async function draw(file: Uint8Array): Promise<Drawn> {
  const head = await sharp(file, { limitInputPixels: false }).metadata()
  if (head.width * head.height > avatarRules.pixels || weightOf(head) > heaviest) return 'IMAGE_TOO_LARGE'
  return await sharp(file, { limitInputPixels: avatarRules.pixels, failOn: 'error', pages: 1 })
    .autoOrient()
    .resize(avatarRules.side, avatarRules.side, { fit: 'cover' })
    .webp({ quality: 82 })
    .toBuffer()
}

process.on('message', (file: Uint8Array) => {
  void draw(file)
    .catch((): Drawn => 'IMAGE_INVALID')
    .then((drawn) => process.send?.(drawn))
})
