import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { browserOf } from './browser.ts'
import { differentIpRegions, ipRegionText } from './ip-region.ts'

const agents = fc.constantFrom(
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.50',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; HarmonyOS; MatePad) AppleWebKit/537.36 HuaweiBrowser/15.0 Mobile Safari/537.36',
)

fuzz(
  'user-agent',
  'a browser has a name, a system and a device, whatever it says of itself',
  fc.oneof(changed(agents), nastyText, longText),
  (userAgent) => {
    const { browser, os, device } = quick(userAgent.length, () => browserOf(userAgent))
    for (const word of [browser, os, device]) {
      expect(word).not.toBe('')
      // No longer than what is read of it, and the word before its version.
      expect(word.length).toBeLessThanOrEqual(540)
    }
    expect(browserOf(userAgent.slice(0, 512))).toEqual({ browser, os, device })
    if (/micromessenger/i.test(userAgent.slice(0, 512))) expect(browser).toBe('微信')
  },
)

const addresses = fc.oneof(fc.ipV4(), fc.ipV6(), changed(fc.ipV4()), nastyText)
const pairs = fc.record({ one: addresses, other: addresses })

fuzz('place', 'a place is known or not, and never between nothing and somewhere', pairs, ({ one, other }) => {
  const text = quick(one.length, () => ipRegionText(one))
  if (text !== undefined) expect(text).toMatch(/^\S+( \S+)*$/)
  expect(differentIpRegions(one, one)).toBe(false)
  expect(differentIpRegions(one, other)).toBe(differentIpRegions(other, one))
  if (differentIpRegions(one, other)) expect([ipRegionText(one), ipRegionText(other)]).not.toContain(undefined)
})
