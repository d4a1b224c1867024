import { readSync, writeSync } from 'node:fs'
import { avatarRules } from '@hufu/contract/avatar-rules'
import { type PictureUse, pictureRules, pictureSizes } from '@hufu/contract/picture-rules'
import sharp, { type Metadata, type Sharp } from 'sharp'

// A process of its own that draws pictures again: each message tells of a file that comes in by the standard input, each
// answer of what is kept of it, which goes out by the standard output, or why not. In messages they would be there several times.

export interface DecodeRequest {
  use: 'avatar' | PictureUse
  /** Bytes of the file. */
  length: number
}

/** How large it is drawn, and the bytes of what is kept. */
export interface Decoded {
  width: number
  height: number
  length: number
}

export type DecodeRefusal = 'IMAGE_TOO_LARGE' | 'IMAGE_INVALID'

// Whatever a file calls itself, nothing else is ever opened: an SVG could name other files and addresses.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.concurrency(1)
sharp.cache(false)

/** Bytes for what can be read only as a whole, not line by line, and for what is drawn of it. */
const room = 52_000_000

/** Bytes of what is drawn. */
function decodedBytes({ autoOrient: { width, height } }: Metadata, use: DecodeRequest['use']): number {
  const within = use === 'avatar' ? { width: avatarRules.side, height: avatarRules.side } : pictureSizes[use]
  const scale = Math.min(1, within.width / width, within.height / height)
  return 3 * width * height * scale ** 2
}

/**
 * Bytes of a WebP, or of a PNG in passes, which takes a third more. JPEG is held back while it is read: what it tells of its
 * sampling may be a lie.
 */
function weightOf({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  if (format === 'webp') return width * height * channels
  if (format === 'jpeg' || !isProgressive) return 0
  return (width * height * channels * (depth === 'uchar' ? 1 : 2) * 4) / 3
}

/** An avatar is cut to a square around the centre; anything else stays whole, and is never drawn larger than it came. */
function sized(picture: Sharp, use: DecodeRequest['use']): Sharp {
  if (use === 'avatar') return picture.resize(avatarRules.side, avatarRules.side, { fit: 'cover' })
  return picture.resize({ ...pictureSizes[use], fit: 'inside', withoutEnlargement: true })
}

const webp = (picture: Sharp, effort: number) =>
  picture.webp({ quality: 82, effort }).toBuffer({ resolveWithObject: true })

/**
 * Nothing but the pixels is carried over. Avatars and logos stay transparent; large pictures come to lie on white, for to write
 * what shines through takes hundreds of megabytes, and dark letters on nothing can't be read on a dark page. These are read
 * first and written then, so that what reading takes is free again; and written with less effort, as more of it keeps all that is
 * to be written in memory.
 */
async function written(picture: Sharp, use: DecodeRequest['use']) {
  if (use === 'avatar' || use === 'logo') return await webp(picture, 4)
  const { data, info } = await picture.flatten({ background: '#fff' }).raw().toBuffer({ resolveWithObject: true })
  return await webp(sharp(data, { raw: info }), 2)
}

/** Upright, as it is kept. */
async function decodeImage(file: Uint8Array, use: DecodeRequest['use']) {
  const head = await sharp(file, { limitInputPixels: false }).metadata()
  const left = room - decodedBytes(head, use)
  if (head.width * head.height > pictureRules.pixels || weightOf(head) > left) return 'IMAGE_TOO_LARGE'
  // Asked by the decoder of JPEG at each picture, in thousands.
  process.env.JPEGMEM = String(Math.floor(left / 1_000))
  const upright = sharp(file, { limitInputPixels: pictureRules.pixels, failOn: 'error', pages: 1 }).autoOrient()
  return await written(sized(upright, use), use)
}

function receive(length: number): Uint8Array {
  const file = new Uint8Array(length)
  for (let read = 0; read < length; ) {
    const more = readSync(0, file, read, length - read, null)
    if (more === 0) process.exit()
    read += more
  }
  return file
}

const reasonOf = (error: unknown): DecodeRefusal =>
  /memory limit exceeded/i.test(String(error)) ? 'IMAGE_TOO_LARGE' : 'IMAGE_INVALID'

const reply = (answer: Decoded | DecodeRefusal, then = () => {}) => process.send?.(answer, then)

function handOver(data: Uint8Array): void {
  for (let sent = 0; sent < data.length; ) sent += writeSync(1, data, sent)
}

async function answer({ use, length }: DecodeRequest): Promise<void> {
  const decoded = await decodeImage(receive(length), use).catch(reasonOf)
  if (typeof decoded === 'string') return void reply(decoded)
  const { data, info } = decoded
  // Told first: nobody takes it before it is known how much there is.
  reply({ width: info.width, height: info.height, length: data.length }, () => handOver(data))
}

process.on('message', (asked: DecodeRequest) => {
  // What is left of the one before would lie about until much more had piled up.
  globalThis.gc?.()
  void answer(asked)
})
