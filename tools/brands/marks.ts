/** What stands inside an icon, drawn in a field of 64 × 64. */
const glyphs = {
  wave: '<path d="M10 38q11-13 22 0t22 0v9q-11 13-22 0t-22 0zM10 22q11-13 22 0t22 0v6q-11 13-22 0t-22 0z"/>',
  leaf: '<path d="M14 50C10 24 28 12 52 12c0 26-12 42-34 36l-6 8-4-3zm6-6c14 2 22-10 24-22-8 6-18 12-24 22z"/>',
  pixel: '<path d="M12 16h8v-8h8v8h8v-8h8v8h8v24h-8v8H20v-8h-8zm8 8v8h8v-8zm16 0v8h8v-8z"/>',
  cross: '<path d="M24 8h16v16h16v16H40v16H24V40H8V24h16z"/>',
  wing: '<path d="M4 40C20 38 34 28 60 10 54 34 36 50 14 54l12-10z"/>',
  book: '<path d="M6 14c10-4 18-2 24 3v37c-6-5-14-7-24-3zm52 0c-10-4-18-2-24 3v37c6-5 14-7 24-3z"/>',
  bolt: '<path d="M36 4 12 36h16l-6 24 28-36H34z"/>',
  mushroom: '<path d="M6 34C6 16 18 8 32 8s26 8 26 26zm18 4h16l4 18H20z"/>',
  wheel:
    '<path fill-rule="evenodd" d="M32 4a28 28 0 1 1 0 56 28 28 0 0 1 0-56zm0 12a16 16 0 1 0 0 32 16 16 0 0 0 0-32z"/>',
  moon: '<path d="M40 6a27 27 0 1 0 18 38A24 24 0 0 1 40 6z"/>',
  peak: '<path d="M2 52 24 12l12 20 6-8 20 28zm22-26-6 11 6-3 5 4 3-3z"/>',
}
export type Glyph = keyof typeof glyphs

interface Tile {
  glyph: Glyph
  ink: string
  /** Nothing behind the glyph where it isn't given. */
  ground?: string
  /** Of the corners; a whole square is cut by the page. */
  round?: number
}

const svg = (width: number, height: number, inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${inner}</svg>`

const glyphAt = (glyph: Glyph, ink: string, place: string) =>
  `<g fill="${ink}" transform="${place}">${glyphs[glyph]}</g>`

export function icon({ glyph, ink, ground, round = 0 }: Tile): string {
  const back = ground ? `<rect width="256" height="256" rx="${round}" fill="${ground}"/>` : ''
  const place = ground ? 'translate(48 48) scale(2.5)' : 'scale(4)'
  return svg(256, 256, back + glyphAt(glyph, ink, place))
}

interface Wordmark {
  words: string
  width: number
  ink: string
  glyph?: Glyph
  /** A plate behind the words. */
  ground?: string
  serif?: boolean
}

export function wordmark({ words, width, ink, glyph, ground, serif }: Wordmark): string {
  const plate = ground ? `<rect width="${width}" height="120" rx="20" fill="${ground}"/>` : ''
  const mark = glyph ? glyphAt(glyph, ink, 'translate(12 12) scale(1.5)') : ''
  const family = serif ? 'Noto Serif CJK SC' : 'Noto Sans CJK SC'
  const start = glyph ? 128 : 16
  const text = `<text x="${start}" y="84" font-family="${family}" font-size="64" font-weight="700" fill="${ink}">${words}</text>`
  return svg(width, 120, plate + mark + text)
}
