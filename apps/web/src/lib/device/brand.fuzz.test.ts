import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { contrast, deriveBrand, surfaces } from './brand.ts'
import { toHex, toLch } from './oklch.ts'

const hex = fc.nat(0xffffff).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const colours = fc.oneof({ weight: 3, arbitrary: hex }, changed(hex), nastyText)

fuzz('colour', 'any primary colour gives readable brands for both themes', colours, (primary) => {
  for (const dark of [false, true]) {
    const brand = quick(primary.length, () => deriveBrand(primary, dark))
    const { card } = surfaces[dark ? 'dark' : 'light']
    const { '--brand-ring': ring, '--brand-glow': glow, ...solid } = brand
    for (const colour of Object.values(solid)) expect(colour).toMatch(/^#[0-9a-f]{6}$/)
    for (const shade of [ring, glow]) expect(shade).toMatch(/^rgba\((\d{1,3},){3}\.\d\d\)$/)
    expect(contrast(brand['--brand-fill'], brand['--brand-on'])).toBeGreaterThanOrEqual(4.5)
    expect(contrast(brand['--brand-text'], card)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(brand['--brand-edge'], card)).toBeGreaterThanOrEqual(3)
  }
})

fuzz('hex', 'a colour goes to OKLCH and comes back', hex, (colour) => {
  const { lightness, chroma, hue } = toLch(colour)
  const back = toHex(lightness, chroma, hue)
  const channels = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16))
  const gaps = channels(colour).map((value, at) => Math.abs(value - (channels(back)[at] ?? 0)))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1)
})
