import fc from 'fast-check'
import { expect } from 'vitest'
import { addresses } from '../../../tools/fuzz/addresses.ts'
import { fuzz, quick } from '../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../tools/fuzz/nasty.ts'
import { email, hexColor, imageUrl, mobilePrefix, origin, userReference, webUrl, webUrlOrPhone } from './fields.ts'

const typed = fc.oneof(addresses(['id.example.com', 'shop.example.com']), longText)

/** What a field makes of a text, or undefined where it refuses. */
const taken = (field: { safeParse(text: string): { data?: unknown } }, text: string) =>
  quick(text.length, () => field.safeParse(text)).data as string | undefined

/** Where a browser goes from one of our pages, as the standard has it. */
const opened = (text: string) => new URL(text, 'https://id.example.com/user/x')

fuzz(
  'web-address',
  'an address that is taken is opened as it was read, by http or https and without userinfo',
  typed,
  (text) => {
    for (const field of [webUrl, webUrlOrPhone]) {
      const address = taken(field, text)
      if (address === undefined || /^\+?[\d -]+$/.test(address)) continue
      expect(opened(address).href).toBe(new URL(address).href)
      expect(opened(address)).toMatchObject({ username: '', password: '' })
      expect(opened(address).protocol).toMatch(/^https?:$/)
    }
  },
)

fuzz('web-address', 'a picture that is taken comes from here or by https', typed, (text) => {
  const address = taken(imageUrl, text)
  if (address === undefined) return
  const { protocol, host } = opened(address)
  expect(protocol).toBe('https:')
  if (address.startsWith('/')) expect(host).toBe('id.example.com')
  else expect(opened(address).href).toBe(new URL(address).href)
})

fuzz('web-address', 'an origin that is taken is what a browser calls it', typed, (text) => {
  const address = taken(origin, text)
  if (address !== undefined) expect(opened(address).origin).toBe(address)
})

const mail = changed(
  fc.constantFrom('a@example.com', 'A.b+c@Example.co.uk', ' zhang@例子.cn', 'ａ＠ｅxample.com', 'K@example.com'),
)

fuzz(
  'email',
  'an e-mail address has one spelling, and capitals and widths make no second one',
  fc.oneof(mail, longText),
  (text) => {
    const address = taken(email, text)
    if (address === undefined) return
    expect(taken(email, address)).toBe(address)
    expect(address).toMatch(/^[!-?A-~]+@[a-z0-9.-]+$/)
    expect(address).toBe(address.toLowerCase())
    expect(taken(email, ` ${text.toUpperCase()}\t`) ?? address).toBe(address)
  },
)

const small = fc.oneof(
  changed(
    fc.constantFrom('86', '+852', ' +1 ', '#5374fa', '#FFF000', '0b0e7b0e-0000-4000-8000-000000000000', '0B0E7B0E'),
  ),
  nastyText,
  longText,
)

fuzz('short-field', 'what a short field makes of a text it takes again as it is', small, (text) => {
  for (const [field, shape] of [
    [mobilePrefix, /^[1-9]\d{0,6}$/],
    [hexColor, /^#[0-9a-fA-F]{6}$/],
    [userReference, /^[0-9a-f]{8}(-[0-9a-f-]{27})?$/],
  ] as const) {
    const value = taken(field, text)
    if (value === undefined) continue
    expect(value).toMatch(shape)
    expect(taken(field, value)).toBe(value)
  }
})
