import { errors } from '@hufu/contract/errors'
import fc from 'fast-check'
import { expect } from 'vitest'
import { addresses } from '../../../../tools/fuzz/addresses.ts'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { failureIn, outcomeIn, withoutOutcome } from '../identity/wechat/outcome.ts'
import { afterLogin, isBinding, isOwnPage, loginLeadingTo, sourceIn } from './login-source.ts'

const site = 'https://id.example.com'
const typed = fc.oneof(addresses(['id.example.com']), longText)

fuzz('own-page', 'what is left to the router stays on the site, as the browser reads it', typed, (address) => {
  if (!quick(address.length, () => isOwnPage(address))) return
  expect(new URL(address, `${site}/login`).origin).toBe(site)
})

fuzz('own-page', 'a wanted address comes back out of the address of the sign-in page', typed, (address) => {
  if (!address.isWellFormed()) return
  const page = quick(address.length, () => loginLeadingTo(address))
  expect(sourceIn(page)).toBe(address || undefined)
  // Also once the browser has taken it.
  const { pathname, origin } = new URL(page, site)
  expect(origin).toBe(site)
  if (!['.', '..'].includes(address)) expect(sourceIn(pathname)).toBe(address || undefined)
  const binding = afterLogin({ inWeChat: true, wechatEnabled: true, bind: true, source: address })
  expect(isBinding(binding)).toBe(true)
  expect(new URL(binding, site).searchParams.get('source')).toBe(address)
})

const searches = fc.oneof(
  changed(fc.constantFrom('?wechat=WECHAT_OFF', '?a=1&wechat=done&b=2', '?wechat=constructor')),
  nastyText,
  longText,
)

fuzz('outcome', 'an outcome is read from an address and taken out of it', searches, (search) => {
  const failure = failureIn(outcomeIn(search))
  if (failure !== undefined) expect(Object.values(errors).map(({ message }) => message)).toContain(failure)
  expect(outcomeIn(withoutOutcome(search))).toBeNull()
  expect(withoutOutcome(withoutOutcome(search))).toBe(withoutOutcome(search))
})
