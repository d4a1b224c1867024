import { readSync, writeSync } from 'node:fs'
import { avatarRules } from '@hufu/contract/avatar-rules'
import { type PictureUse, pictureRules, pictureSizes } from '@hufu/contract/picture-rules'
import sharp, { type Metadata, type Sharp } from 'sharp'

// The process that decodes pictures: each message announces a file that comes in by standard input, each answer
// the result, which goes out by standard output, or why not. Inside messages they would be in memory several times.

export interface DecodeRequest {
  use: 'avatar' | PictureUse
  /** Bytes of the file. */
  length: number
}

/** The size of the decoded picture, and the number of bytes that follow. */
export interface Decoded {
  width: number
  height: number
  length: number
}

export type DecodeRefusal = 'IMAGE_TOO_LARGE' | 'IMAGE_INVALID'

// Whatever a file calls itself, no other format is opened: an SVG could reference other files and addresses.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.concurrency(1)
sharp.cache(false)

/** The most bytes for formats that can't be decoded line by line, and for the decoded picture. */
const room = 52_000_000

/** Bytes of the decoded picture. */
function decodedBytes({ autoOrient: { width, height } }: Metadata, use: DecodeRequest['use']): number {
  const within = use === 'avatar' ? { width: avatarRules.side, height: avatarRules.side } : pictureSizes[use]
  const scale = Math.min(1, within.width / width, within.height / height)
  return 3 * width * height * scale ** 2
}

/**
 * Bytes for decoding a WebP, or an interlaced PNG, which takes a third more. JPEG is bounded while it is read: its
 * header may lie about its sampling.
 */
function weightOf({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  if (format === 'webp') return width * height * channels
  if (format === 'jpeg' || !isProgressive) return 0
  return (width * height * channels * (depth === 'uchar' ? 1 : 2) * 4) / 3
}

/** An avatar is cropped to a square around the centre; anything else stays whole, and is never enlarged. */
function sized(picture: Sharp, use: DecodeRequest['use']): Sharp {
  if (use === 'avatar') return picture.resize(avatarRules.side, avatarRules.side, { fit: 'cover' })
  return picture.resize({ ...pictureSizes[use], fit: 'inside', withoutEnlargement: true })
}

const webp = (picture: Sharp, effort: number) =>
  picture.webp({ quality: 82, effort }).toBuffer({ resolveWithObject: true })

/**
 * Only the pixels are carried over. Avatars and logos stay transparent; large pictures are flattened on white, because
 * encoding transparency takes hundreds of megabytes, and dark letters on nothing are unreadable on a dark page. Large
 * pictures are decoded first and encoded then, so that the memory of decoding is free again; and encoded with less
 * effort, as more effort keeps everything in memory.
 */
async function written(picture: Sharp, use: DecodeRequest['use']) {
  if (use === 'avatar' || use === 'logo') return await webp(picture, 4)
  const { data, info } = await picture.flatten({ background: '#fff' }).raw().toBuffer({ resolveWithObject: true })
  return await webp(sharp(data, { raw: info }), 2)
}

/** Applies EXIF rotation. */
async function decodeImage(file: Uint8Array, use: DecodeRequest['use']) {
  const head = await sharp(file, { limitInputPixels: false }).metadata()
  const left = room - decodedBytes(head, use)
  if (head.width * head.height > pictureRules.pixels || weightOf(head) > left) return 'IMAGE_TOO_LARGE'
  // The JPEG decoder reads this at each picture, in thousands.
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
  // Announced first: the receiver must know the length before it reads.
  reply({ width: info.width, height: info.height, length: data.length }, () => handOver(data))
}

process.on('message', (asked: DecodeRequest) => {
  // Memory of the picture before would otherwise stay until much more had piled up.
  globalThis.gc?.()
  void answer(asked)
})
