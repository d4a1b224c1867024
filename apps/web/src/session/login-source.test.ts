import { describe, expect, test } from 'vitest'
import { afterLogin, isOwnPage, loginLeadingTo, sourceIn } from './login-source.ts'

describe('source', () => {
  test.each(['/user/device?a=1&b=%2F', 'https://shop.example/回来?x=1#y', '/user/feedback/7F3A9C', '100%'])(
    'S013 %s survives the path',
    (source) => expect(sourceIn(loginLeadingTo(source))).toBe(source),
  )
  test.each(['/login', '/login/', '/login/%E4%zz'])('%s has none', (path) => expect(sourceIn(path)).toBeUndefined())
  test.each([
    ['/user', true],
    ['/loginAuthorize/1', true],
    ['/api/login/wechat?source=%2Fuser', false],
    ['/oidc/authorize/x7Kq2', false],
    ['/oidcs', true],
    ['//evil.example', false],
    ['/\\evil.example', false],
    ['/\t/evil.example', false],
    ['/\n/evil.example', false],
    ['https://shop.example/', false],
  ])('%s is shown in place: %s', (address, own) => expect(isOwnPage(address)).toBe(own))
})

describe('after sign-in', () => {
  const inside = { inWeChat: true, wechatEnabled: true, bind: true, source: '/user/feedback?a=1' }
  test('S403 inside WeChat with the box ticked the binding comes first and knows the source', () => {
    expect(afterLogin(inside)).toBe('/api/user/wechat/binding?source=%2Fuser%2Ffeedback%3Fa%3D1')
  })
  test('S404 with the box unticked it goes straight to the source', () => {
    expect(afterLogin({ ...inside, bind: false })).toBe('/user/feedback?a=1')
  })
  test('S405 outside WeChat it never goes to the binding', () => {
    expect(afterLogin({ ...inside, inWeChat: false })).toBe('/user/feedback?a=1')
  })
  test('without WeChat configured there is nothing to bind', () => {
    expect(afterLogin({ ...inside, wechatEnabled: false })).toBe('/user/feedback?a=1')
  })
})
