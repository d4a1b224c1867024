import { describe, expect, test } from 'vitest'
import { loginBackground } from './login-background.ts'

describe('wide', () => {
  test('S078 without meta.bg it is /images/login/bg.jpg', () => {
    expect(loginBackground({}, false)).toBe('/images/login/bg.jpg')
    expect(loginBackground({ vbg: '/v.jpg' }, false)).toBe('/images/login/bg.jpg')
  })
  test('S079 a configured meta.bg replaces it', () => {
    expect(loginBackground({ bg: '/b.jpg', vbg: '/v.jpg' }, false)).toBe('/b.jpg')
  })
})

describe('vertical', () => {
  test('S080 it is meta.vbg when configured', () => {
    expect(loginBackground({ bg: '/b.jpg', vbg: '/v.jpg' }, true)).toBe('/v.jpg')
  })
  test('S081 without meta.vbg it is the configured meta.bg', () => {
    expect(loginBackground({ bg: '/b.jpg' }, true)).toBe('/b.jpg')
  })
  test('S082 without both it is /images/login/vbg.jpg', () => {
    expect(loginBackground({}, true)).toBe('/images/login/vbg.jpg')
  })
})
