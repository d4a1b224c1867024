/** Between sRGB and OKLCH (Björn Ottosson's matrices): moving lightness there keeps the hue a user sees. */
export interface Lch {
  lightness: number
  chroma: number
  /** In radians. */
  hue: number
}

/** Red, green and blue without gamma. */
export function linear(colour: string): [number, number, number] {
  const at = (start: number) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return [at(1), at(3), at(5)]
}

function byte(value: number): string {
  const share = Math.min(1, Math.max(0, value))
  const encoded = share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055
  return Math.round(255 * encoded)
    .toString(16)
    .padStart(2, '0')
}

export function toLch(colour: string): Lch {
  const [r, g, b] = linear(colour)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const x = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
  return { lightness, chroma: Math.hypot(x, y), hue: Math.atan2(y, x) }
}

function toLinear(lightness: number, chroma: number, hue: number): number[] {
  const x = chroma * Math.cos(hue)
  const y = chroma * Math.sin(hue)
  const l = (lightness + 0.3963377774 * x + 0.2158037573 * y) ** 3
  const m = (lightness - 0.1055613458 * x - 0.0638541728 * y) ** 3
  const s = (lightness - 0.0894841775 * x - 1.291485548 * y) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

/** The nearest colour that sRGB can show: chroma shrinks until it fits. */
export function toHex(lightness: number, chroma: number, hue: number): string {
  let fitting = Math.max(chroma, 0)
  let rgb = toLinear(lightness, fitting, hue)
  while (fitting > 0 && rgb.some((value) => value <= -0.0005 || value >= 1.0005)) {
    fitting = Math.max(fitting - 0.004, 0)
    rgb = toLinear(lightness, fitting, hue)
  }
  return `#${rgb.map(byte).join('')}`
}
