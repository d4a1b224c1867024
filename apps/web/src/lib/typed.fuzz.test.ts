import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { filterIn, wantedOf } from '../features/merchant-users/wanted.ts'
import { codeIn, digitsOf } from '../ui/fields/code-text.ts'
import { fontSizes } from './device/device-rules.ts'
import { parsePreference } from './device/preference.ts'
import { dayStart } from './list-address.ts'
import { cleanMobile, groupMobile, maskMobile } from './mobile-number.ts'

const messages = fc.oneof(
  changed(
    fc.constantFrom('【青屿】验证码 123456，5 分钟内有效。', '123456', '12 34 56', '2026-11-15 123456', '１２３４５６'),
  ),
  nastyText,
  longText,
)

fuzz('code', 'a code is six plain digits that stand in the text', messages, (text) => {
  const code = quick(text.length, () => codeIn(text))
  if (code !== undefined) {
    expect(code).toMatch(/^[0-9]{6}$/)
    // Alone, or all that there is.
    const runs = text.normalize('NFKC').match(/\d+/g) ?? []
    expect([...runs, runs.join('')]).toContain(code)
  }
  expect(digitsOf(text)).toMatch(/^[0-9]{0,6}$/)
  expect(digitsOf(digitsOf(text))).toBe(digitsOf(text))
})

const numbers = fc.record({
  text: fc.oneof(
    changed(fc.constantFrom('+86 138-0013-8000', '0086 13800138000', '８６１３８００１３８０００')),
    nastyText,
    longText,
  ),
  prefix: fc.constantFrom('86', '852', '1'),
})

fuzz(
  'typed-mobile',
  'a number is cleaned once and for all; grouped it has all its digits, masked it has not',
  numbers,
  ({ text, prefix }) => {
    const mobile = quick(text.length, () => cleanMobile(text, prefix))
    expect(mobile).toMatch(/^[0-9]*$/)
    if (mobile.length < 40) {
      expect(groupMobile(mobile).replaceAll(' ', '')).toBe(mobile)
      if (mobile.length >= 7) expect(maskMobile(mobile)).not.toContain(mobile.slice(1))
    }
  },
)

const day = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  changed(fc.constantFrom('2026-11-15', '2024-02-29', '0050-01-01')),
  nastyText,
)

fuzz('day', 'a day that is taken is one of the calendar', day, (text) => {
  const start = quick(text.length, () => dayStart(text))
  if (start === undefined) return
  const date = new Date(start)
  const two = (number: number) => String(number).padStart(2, '0')
  expect(`${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`).toBe(text)
  expect(dayStart(text, 1)).toBeGreaterThan(start)
})

const addresses = fc.record({
  search: fc.oneof(nastyText, longText),
  only: fc.constantFrom('', 'disabled', 'toString'),
  from: day,
  to: day,
})

fuzz('filter', 'whatever stands in an address, the server is asked for what it takes', addresses, (address) => {
  const filter = quick(JSON.stringify(address).length, () => filterIn(new URLSearchParams(address)))
  expect(filterIn(new URLSearchParams({ ...filter } as Record<string, string>))).toEqual(filter)
  const { search = '', from = 0, to = 0 } = wantedOf(filter)
  expect(search.length).toBeLessThanOrEqual(100)
  for (const time of [from, to]) expect(Number.isSafeInteger(time) && time >= 0 && time <= 8.64e15).toBe(true)
})

const stored = fc.oneof(
  changed(
    fc.constantFrom(
      '{"dark":true,"fontSize":16,"region":"CN","language":"zh-CN"}',
      '{"__proto__":{"dark":true}}',
      'null',
      '[]',
    ),
  ),
  fc.json({ maxDepth: 2 }),
  nastyText,
)

fuzz('preference', 'of what was stored only what has its shape counts', stored, (text) => {
  const preference = quick(text.length, () => parsePreference(text))
  expect(parsePreference(JSON.stringify(preference))).toEqual(preference)
  const { dark = true, fontSize = 16, region = '', language = '', ...rest } = preference
  expect([typeof dark, typeof region, typeof language, rest]).toEqual(['boolean', 'string', 'string', {}])
  expect(fontSizes).toContain(fontSize)
})
