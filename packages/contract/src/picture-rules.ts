import { avatarRules } from './avatar-rules.ts'

/** What any picture may be before it is drawn anew; the browser checks first, the server again. */
export const pictureRules = { bytes: avatarRules.bytes, pixels: avatarRules.pixels, types: avatarRules.types } as const

/** Within what a picture is kept: as it is, or smaller. */
export const pictureSizes = {
  /** Screenshots of a whole conversation are long, and are to be read. */
  feedback: { width: 1_600, height: 4_800 },
  logo: { width: 800, height: 400 },
  background: { width: 2_560, height: 2_560 },
} as const
export type PictureUse = keyof typeof pictureSizes

/** GET with `id`: a logo or background that an operator handed over. */
export const sitePicturePath = (id: string): string => `/api/site/picture?id=${id}`
