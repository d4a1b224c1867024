import { expect, test } from 'vitest'
import { loginOptionsOf } from '../../shared/sites/login-options.ts'
import { canSignIn } from './login-methods.ts'

const none = { mobile: null, email: null, username: null, password: false, wechat: false }
const wechat = { appId: 'wx1', secret: 'sealed' }

test.each([
  ['nothing at all', {}, none, false],
  ['a number', {}, { ...none, mobile: '13800000000' }, true],
  ['a number, by password alone', { methods: ['password'] }, { ...none, mobile: '13800000000' }, false],
  ['a password without a name', {}, { ...none, password: true }, false],
  ['a name without a password', {}, { ...none, username: 'lin' }, false],
  ['a password and an address', {}, { ...none, password: true, email: 'lin@example.com' }, true],
  ['a password, by number alone', { methods: ['mobile'] }, { ...none, password: true, username: 'lin' }, false],
  ['a password and a number', { methods: ['password'] }, { ...none, password: true, mobile: '13800000000' }, true],
  ['WeChat', { wechat }, { ...none, wechat: true }, true],
  ['WeChat, without an official account', {}, { ...none, wechat: true }, false],
  ['WeChat, by number alone', { wechat, methods: ['mobile'] }, { ...none, wechat: true }, false],
])('an account can sign in only by what it has and the site offers: %s', (_title, config, has, expected) => {
  expect(canSignIn({ login: loginOptionsOf(config) }, has)).toBe(expected)
})
