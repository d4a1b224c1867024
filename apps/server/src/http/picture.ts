/** A picture is shown and does nothing else, also when somebody opens it by its address. */
export const pictureHead = { 'content-security-policy': "default-src 'none'", 'content-type': 'image/webp' }

/** Under an id that is never given to another one. */
export const forGood = 'max-age=31536000, immutable'
