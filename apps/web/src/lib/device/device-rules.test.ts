import { fallbackRegion, type Region } from '@hufu/contract/regions'
import { describe, expect, test } from 'vitest'
import {
  isDark,
  isIphoneX,
  isNearTop,
  isPortrait,
  isWeChat,
  languageOf,
  type Preference,
  regionOf,
  rootFontSize,
} from './device-rules.ts'

const region = (key: string, language: string): Region => ({ ...fallbackRegion, key, language })
const HK = region('HK', 'zh-HK')
const JP = region('JP', 'ja-JP')

describe('dark mode', () => {
  const table: [boolean | undefined, boolean, boolean][] = [
    [true, false, true],
    [true, true, true],
    [false, true, false],
    [false, false, false],
    [undefined, true, true],
    [undefined, false, false],
  ]
  test.each(table)('S205 S239 S240 preference %s with system %s is %s', (dark, systemDark, result) => {
    expect(isDark({ preference: dark === undefined ? {} : { dark }, systemDark })).toBe(result)
  })
})

describe('font size', () => {
  const table: [Preference, number][] = [
    [{}, 14],
    [{ fontSize: 12 }, 12],
    [{ fontSize: 16 }, 16],
    [{ fontSize: 18 }, 18],
  ]
  test.each(table)('S206 preference %j is a root of %i px', (preference, size) => {
    expect(rootFontSize(preference)).toBe(size)
  })
})

describe('region', () => {
  test('S193 the fallback region has key CN, language zh-CN and prefix 86', () => {
    expect(fallbackRegion).toMatchObject({ key: 'CN', language: 'zh-CN', prefix: '86' })
  })
  test('S241 the preferred region', () => {
    expect(regionOf({ preference: { region: 'JP' }, regions: [HK, JP] })).toBe(JP)
  })
  test('S242 without a preferred one the first of the list', () => {
    expect(regionOf({ preference: {}, regions: [HK, JP] })).toBe(HK)
  })
  test('S242 a preferred key that is not in the list counts as not chosen', () => {
    expect(regionOf({ preference: { region: 'US' }, regions: [HK, JP] })).toBe(HK)
  })
  test('S243 without preferred one and list the default CN', () => {
    expect(regionOf({ preference: {}, regions: [] })).toBe(fallbackRegion)
    expect(regionOf({ preference: { region: 'JP' }, regions: [] })).toBe(fallbackRegion)
  })
})

describe('language', () => {
  const place = { regions: [HK, JP], systemLanguage: 'fr-FR' }
  test('S244 the preferred language, whatever the region', () => {
    expect(languageOf({ ...place, preference: { language: 'en-GB', region: 'JP' } })).toBe('en-GB')
  })
  test('S245 without one the language of the explicitly preferred region', () => {
    expect(languageOf({ ...place, preference: { region: 'JP' } })).toBe('ja-JP')
  })
  test('S246 without both the system language, not that of the first region', () => {
    expect(languageOf({ ...place, preference: {} })).toBe('fr-FR')
  })
  test('S246 a preferred region that is not in the list counts as not chosen', () => {
    expect(languageOf({ ...place, preference: { region: 'US' } })).toBe('fr-FR')
  })
})

describe('derived flags', () => {
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15'
  const table: [string, boolean][] = [
    [`${iphone} MicroMessenger/8.0.50`, true],
    ['micromessenger', true],
    ['MICROMESSENGER', true],
    [iphone, false],
    ['Micro Messenger', false],
    ['', false],
  ]
  test.each(table)('S255 is WeChat of %j is %s', (userAgent, result) => {
    expect(isWeChat({ userAgent })).toBe(result)
  })

  const phones: [string, number, boolean][] = [
    [iphone, 811, false],
    [iphone, 812, true],
    [iphone, 932, true],
    ['Mozilla/5.0 (Linux; Android 15)', 915, false],
    ['Mozilla/5.0 (iPad; CPU OS 18_0)', 1024, false],
  ]
  test.each(phones)('S256 is iPhone X of %j with height %i is %s', (userAgent, height, result) => {
    expect(isIphoneX({ userAgent, height })).toBe(result)
  })

  const sizes: [number, number, boolean][] = [
    [390, 844, true],
    [799, 800, true],
    [800, 800, false],
    [801, 800, false],
  ]
  test.each(sizes)('S257 %i × %i is portrait: %s', (width, height, result) => {
    expect(isPortrait({ width, height })).toBe(result)
  })

  test.each([
    [0, true],
    [9, true],
    [9.9, true],
    [10, false],
    [11, false],
  ])('scroll %d is near the top: %s', (scrollY, result) => {
    expect(isNearTop({ scrollY })).toBe(result)
  })
})
