/** What a picture may be before it is re-encoded; the browser checks first, the server again. */
export const avatarRules = {
  bytes: 5 * 1024 * 1024,
  pixels: 16_000_000,
  types: ['image/jpeg', 'image/png', 'image/webp'],
  /** Edge of the stored square. */
  side: 512,
} as const

export const avatarPath = (id: string, time: number): string => `/api/avatar?id=${id}&t=${time}`
