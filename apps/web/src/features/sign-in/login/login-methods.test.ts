// @vitest-environment happy-dom
import type { LoginMethod } from '@hufu/contract/site'
import { expect, test } from 'vitest'
import { offeredMethods } from './login-methods.tsx'

const offered = (wanted: LoginMethod[], inWeChat = false) => offeredMethods(wanted, inWeChat)

test('S010 a method the site leaves out is not offered', () => {
  expect(offered(['mobile'])).toEqual(['mobile'])
  expect(offered(['password'])).toEqual(['password'])
})
test('D016 the order is that of the site', () =>
  expect(offered(['password', 'mobile'])).toEqual(['password', 'mobile']))
test('no methods at all means all', () => expect(offered([])).toEqual(offered(['mobile', 'password', 'wechat'])))
test('S014 unknown names are ignored, a repeated one is offered once', () => {
  expect(offered(['fax' as LoginMethod, 'mobile', 'mobile', 'password'])).toEqual(['mobile', 'password'])
})
test('where nothing is left, mobile is', () => {
  expect(offered(['wechat'], true)).toEqual(['mobile'])
  expect(offered(['fax' as LoginMethod], true)).toEqual(['mobile'])
})
