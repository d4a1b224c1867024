import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pictureRules, pictureSizes } from '@hufu/contract/picture-rules'
import type { SiteConfig } from '@hufu/contract/site'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../../apps/server/src/features/site/config-check.ts'
import { brandFolder, pictureKeys, readBrands, withPictures } from './brands.ts'

const brands = readBrands()
const configs = brands.map(({ config }) => config)
const some = (rule: (config: SiteConfig) => unknown) => configs.filter(rule).length

describe.each(brands)('$name', (brand) => {
  test('can be saved as it is written', () => {
    expect(faultsOf(brand.config)).toEqual([])
  })

  test('every picture can be handed over, and is named by the path answered', async () => {
    for (const { bytes, key } of brand.pictures) {
      const { width, height, format } = await sharp(bytes).metadata()
      const size = pictureSizes[pictureKeys[key]]
      expect(pictureRules.types).toContain(`image/${format}`)
      expect(bytes.length).toBeLessThan(pictureRules.bytes)
      expect(width * height).toBeLessThan(pictureRules.pixels)
      if (pictureKeys[key] === 'background') expect(width).toBeLessThanOrEqual(size.width)
    }
    const saved = await withPictures(brand, async (kind, { file }) => `/served/${kind}/${file}`)
    expect(faultsOf(saved)).toEqual([])
    for (const { key, file } of brand.pictures) expect(saved[key]).toBe(`/served/${pictureKeys[key]}/${file}`)
  })

  test('no file lies there that nothing names', () => {
    const named = brand.pictures.map(({ file }) => file)
    expect(readdirSync(join(brandFolder, brand.name)).sort()).toEqual(['config.json', ...named].sort())
  })

  test('holds no secret', () => {
    expect(JSON.stringify(brand.config)).not.toMatch(/secret|password"\s*:|keyId|appId/i)
  })
})

test('a brand that is not there is refused by name', () => {
  expect(() => readBrands(['unknown'])).toThrow('no brand named unknown')
})

test('there are fifteen, and between them all that a look can be', () => {
  expect(brands).toHaveLength(15)
  for (const method of ['mobile', 'password', 'wechat']) {
    expect(
      some(({ methods }) => methods?.length === 1 && methods[0] === method),
      method,
    ).toBeGreaterThan(0)
  }
  expect(
    some(({ name }) => name?.length === 40 && !/\w/.test(name)),
    'long in Chinese',
  ).toBeGreaterThan(0)
  expect(
    some(({ name }) => name?.length === 40 && /^[\w ]+$/.test(name)),
    'long in letters',
  ).toBeGreaterThan(0)
  expect(
    some(({ logoIcon, logoImage }) => !logoIcon && !logoImage),
    'no logo',
  ).toBeGreaterThan(0)
  expect(
    some(({ logoIcon, logoImage }) => logoIcon && !logoImage),
    'icon only',
  ).toBeGreaterThan(0)
  expect(
    some(({ logoIcon, logoImage }) => !logoIcon && logoImage),
    'wide logo only',
  ).toBeGreaterThan(0)
  expect(
    some(({ bg, vbg }) => bg && vbg),
    'both backgrounds',
  ).toBeGreaterThan(0)
  expect(
    some(({ bg, vbg }) => bg && !vbg),
    'wide background only',
  ).toBeGreaterThan(0)
  expect(
    some(({ bg, vbg }) => !bg && vbg),
    'tall background only',
  ).toBeGreaterThan(0)
  expect(
    some(({ regions }) => (regions?.length ?? 0) >= 10),
    'ten regions',
  ).toBeGreaterThan(0)
  expect(
    some(({ registration }) => registration === 'closed'),
    'closed',
  ).toBeGreaterThan(0)
  expect(
    some(({ support }) => /^\+?\d/.test(support ?? '')),
    'support by phone',
  ).toBeGreaterThan(0)
  expect(
    some(({ icp, police }) => (icp?.length ?? 0) > 50 && (police?.length ?? 0) > 35),
    'long lines',
  ).toBeGreaterThan(0)
})

test('all pictures together stay under 400 KB', () => {
  const bytes = brands.flatMap(({ pictures }) => pictures.map((picture) => picture.bytes.length))
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(400 * 1024)
})
