import { email } from '@hufu/contract/fields'
import { fallbackRegion } from '@hufu/contract/regions'
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { cleanMobile } from '../../../../web/src/lib/mobile-number.ts'
import { aliyunNumber } from '../../integrations/sms/gateways/aliyun.ts'
import { regionOf } from '../../shared/sites/region-table.ts'
import { ownMobile, parseAccount, parseMobile } from './login-names.ts'

const keys = [
  'CN',
  'HK',
  'TW',
  'SG',
  'JP',
  'US',
  'GB',
  'DE',
  'IT',
  'AR',
  'MX',
  'BR',
  'RU',
  'KZ',
  'AU',
  'NG',
  'FR',
  'TH',
]
const regions = keys.map((key) => regionOf(key) ?? fallbackRegion)
const prefixes = [...new Set(regions.map(({ prefix }) => prefix))]
const prefix = fc.constantFrom(...prefixes)
/** Numbers that begin as mobiles do somewhere. */
const begin = fc.constantFrom(
  '138',
  '159',
  '9',
  '6',
  '04',
  '07',
  '7',
  '15',
  '34',
  '911',
  '1',
  '11',
  '90',
  '313',
  '80',
  '',
)
const digits = fc
  .tuple(begin, fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 4, maxLength: 11 }))
  .map((parts) => parts.join(''))
const dressed = fc
  .tuple(
    digits,
    prefix,
    fc.constantFrom('', '+P', '00P', 'P', '+P 0', '(0)', ' ', '＋P'),
    fc.constantFrom('', ' ', '-', '\u00a0', ')'),
  )
  .map(([number, code, head, joint]) => head.replace('P', code) + number.slice(0, 3) + joint + number.slice(3))
const typed = fc.record({ prefix, text: fc.oneof(digits, dressed, changed(dressed), nastyText, longText) })

fuzz('mobile', 'a number has one spelling, and every way to write it leads there', typed, ({ prefix, text }) => {
  const mobile = quick(text.length, () => parseMobile(prefix, text))
  if (!mobile) return
  expect(mobile.value).toBe(`+${prefix}${mobile.number}`)
  expect(mobile.value).toMatch(/^\+\d{6,15}$/)
  for (const again of [mobile.number, mobile.value, mobile.value.replace('+', '00'), ` ${mobile.number} `])
    expect(parseMobile(prefix, again)).toEqual(mobile)
  expect(ownMobile({ mobilePrefix: prefix, mobile: mobile.number })).toEqual(mobile)
  expect(parseAccount(mobile.value, regions)).toEqual({ kind: 'mobile', value: mobile.value })
})

fuzz('mobile', 'what a page makes of a number is the same number to the server', typed, ({ prefix, text }) => {
  const cleaned = quick(text.length, () => cleanMobile(text, prefix))
  expect(cleaned).toMatch(/^\d*$/)
  const [sent, meant] = [parseMobile(prefix, cleaned), parseMobile(prefix, text)]
  if (sent && meant) expect(sent).toEqual(meant)
})

const two = fc.record({ one: typed, other: typed })

fuzz('mobile-pair', 'no two numbers are the same to a gateway', two, ({ one, other }) => {
  const [a, b] = [one, other].map(({ prefix, text }) => parseMobile(prefix, text))
  if (!a || !b || a.value === b.value) return
  const [to, toOther] = [a, b].map(({ prefix, number }) => aliyunNumber({ prefix, mobile: number }))
  if (to !== undefined) expect(to).not.toBe(toOther)
})

const accounts = fc.oneof(
  dressed,
  changed(fc.constantFrom('zhang_san', 'Zhang@Example.com', 'ｚhang', '13800138000')),
  nastyText,
  longText,
)

fuzz('account', 'a typed account name means one thing', accounts, (text) => {
  const account = quick(text.length, () => parseAccount(text, regions))
  if (!account) return
  expect(parseAccount(account.value, regions)).toEqual(account)
  if (account.kind === 'username') expect(account.value).toMatch(/^[a-z][a-z0-9_]{3,19}$/)
})

fuzz('account', 'an e-mail address is the same to those who register it and those who sign in', accounts, (text) => {
  const { data } = email.safeParse(text)
  if (data !== undefined) expect(parseAccount(text, regions)).toEqual({ kind: 'email', value: data })
})
