export const pictureHead = { 'content-type': 'image/webp' }

/** The id is never reused for another picture. */
export const forGood = 'max-age=31536000, immutable'
