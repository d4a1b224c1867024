import { linear, toHex, toLch } from './oklch.ts'

/** The default until the site sets its own. */
export const defaultPrimary = '#5374fa'

/** These stand in ui/tokens.css too; the test compares them. */
export const surfaces = {
  light: { page: '#f3f4f7', card: '#ffffff', raised: '#ffffff', field: '#f3f4f7' },
  dark: { page: '#0d0e11', card: '#18191e', raised: '#23252c', field: '#23252c' },
}

const step = 0.004
const within = (lightness: number) => Math.min(1, Math.max(0, lightness))

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
}

function luminance(colour: string): number {
  const [red, green, blue] = linear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

function normalise(colour: string): string {
  const digits = colour.trim().replace('#', '').toLowerCase()
  if (/^[0-9a-f]{3}$/.test(digits)) return `#${digits.replace(/./g, '$&$&')}`
  return /^[0-9a-f]{6}$/.test(digits) ? `#${digits}` : defaultPrimary
}

/** A colour whose hue stays: only lightness moves, chroma shrinks where sRGB has no room. */
function shadesOf(colour: string) {
  const { lightness, chroma, hue } = toLch(colour)
  const at = (l: number, c = chroma) => toHex(within(l), c, hue)
  const walk = (from: number, by: number, good: (shade: string) => boolean) => {
    let l = from
    while (!good(at(l)) && l + by >= 0 && l + by <= 1) l += by
    return within(l)
  }
  return { lightness, chroma, hue, at, walk }
}

type Shades = ReturnType<typeof shadesOf>

/** White text if a small step darker allows it, else the colour as it is with dark text. */
function fillOf({ lightness, chroma, hue, at, walk }: Shades, dark: boolean, card: string) {
  const grey = chroma < 0.03
  let start = lightness
  // A white brand becomes ink on a light page, a black one paper on a dark page.
  if (grey && !dark && lightness > 0.85) start = 0.27
  else if (grey && dark && lightness < 0.45) start = 0.93
  else if (dark) start = walk(lightness, step, (shade) => contrast(shade, card) >= 3)

  const forWhite = walk(start, -step, (shade) => contrast(shade, '#ffffff') >= 4.55)
  const ink = toHex(0.2, Math.min(chroma, 0.03), hue)
  const pale = start - forWhite > 0.13
  const fill = pale ? walk(Math.min(start, 0.94), step, (shade) => contrast(shade, ink) >= 5.2) : forWhite
  const darker = fill < 0.3 ? Math.max(0.05, 0.2 - fill) : -0.04
  const press = pale ? 0.035 : darker
  const edge = walk(fill, dark ? step : -step, (shade) => contrast(shade, card) >= 3.05)
  return {
    '--brand-fill': at(fill),
    '--brand-fill-hover': at(fill + press),
    '--brand-fill-pressed': at(fill + 2 * press),
    '--brand-on': pale ? ink : '#ffffff',
    '--brand-edge': contrast(at(fill), card) >= 3 ? at(fill) : at(edge),
  }
}

/** Soft is a light tint; text is the hue, moved until it has contrast on every surface and on soft. */
function tintsOf({ lightness, chroma, at, walk }: Shades, dark: boolean) {
  const softChroma = Math.min(chroma * 0.3, dark ? 0.055 : 0.028)
  const soft = at(dark ? 0.285 : 0.958, softChroma)
  const softHover = at(dark ? 0.325 : 0.93, softChroma * 1.3)
  const grounds = [...Object.values(surfaces[dark ? 'dark' : 'light']), soft, softHover]
  const readable = (shade: string) => grounds.every((ground) => contrast(shade, ground) >= 4.55)
  const text = at(walk(lightness, dark ? step : -step, readable))
  return {
    '--brand-text': text,
    '--brand-soft': soft,
    '--brand-soft-hover': softHover,
    '--brand-ring': `rgba(${channels(text).join(',')},.24)`,
    '--brand-glow': `rgba(${channels(text).join(',')},.10)`,
  }
}

/** Derives the brand variables of one theme from any primary colour. brand.test.ts checks the contrast. */
export function deriveBrand(primary: string, dark: boolean) {
  const colour = normalise(primary)
  const shades = shadesOf(colour)
  const { card } = surfaces[dark ? 'dark' : 'light']
  return { '--brand': colour, ...fillOf(shades, dark, card), ...tintsOf(shades, dark) }
}

export function applyBrand(primary: string, dark: boolean) {
  for (const [name, value] of Object.entries(deriveBrand(primary, dark))) {
    document.documentElement.style.setProperty(name, value)
  }
}
