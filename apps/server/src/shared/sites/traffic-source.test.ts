import { expect, test } from 'vitest'
import { withOutcome } from '../../http/navigation.ts'
import { withAnswer } from './traffic-source.ts'

test('an answer takes the place of a former one, in whatever spelling, and the rest stays letter by letter', () => {
  const source = '/user?a=%2F&%61uthorize=old&&state&b=+#x?y#z'
  expect(withAnswer(source, { authorize: 'n&w', state: '1' })).toBe('/user?a=%2F&b=+&authorize=n%26w&state=1#x?y#z')
  expect(withAnswer('https://shop.example/', { authorize: '1' })).toBe('https://shop.example/?authorize=1')
})

test('the outcome is passed once, before everything behind the first #', () => {
  expect(withOutcome('/login', 'back')).toBe('/login?wechat=back')
  expect(withOutcome('/user?wechat=done&a=1##', 'WECHAT_OFF')).toBe('/user?a=1&wechat=WECHAT_OFF##')
})
