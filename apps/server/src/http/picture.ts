export const pictureHead = { 'content-type': 'image/webp' }

/** Under an id that is never given to another one. */
export const forGood = 'max-age=31536000, immutable'
