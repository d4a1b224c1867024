import { avatarRules } from './avatar-rules.ts'

/** Limits of an uploaded picture; the browser checks first, the server again. */
export const pictureRules = { bytes: avatarRules.bytes, pixels: avatarRules.pixels, types: avatarRules.types } as const

/** The bounds within which a picture is stored: as it is, or smaller. */
export const pictureSizes = {
  /** Screenshots of a whole conversation are long, and must stay readable. */
  feedback: { width: 1_600, height: 4_800 },
  logo: { width: 800, height: 400 },
  background: { width: 2_560, height: 2_560 },
} as const
export type PictureUse = keyof typeof pictureSizes

/** GET with `id`: a logo or background that an operator uploaded. */
export const sitePicturePath = (id: string): string => `/api/site/picture?id=${id}`
