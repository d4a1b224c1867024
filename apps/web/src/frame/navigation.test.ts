import type { Permission } from '@hufu/contract/profile'
import { describe, expect, test } from 'vitest'
import { currentLink, navigationLinks } from './navigation.ts'

const toOf = (name: string, site?: string, permission?: Permission) =>
  navigationLinks(site, permission && { permission }).find((link) => link.name === name)?.to

describe('links', () => {
  test('S067 home leads to meta.site when there is one, else to /', () => {
    expect(toOf('home', 'https://www.qingyu.example')).toBe('https://www.qingyu.example')
    expect(toOf('home')).toBe('/')
  })
  test('D531 without meta.site it is left out for a signed-in user, whom / would lead to the user centre', () => {
    expect(toOf('home', undefined, {})).toBeUndefined()
    expect(toOf('home', 'https://www.qingyu.example', {})).toBe('https://www.qingyu.example')
  })
  test('S068 there is a link to the user centre', () => expect(toOf('user')).toBe('/user'))
  test('S069 there is a link to feedback', () => expect(toOf('feedback')).toBe('/user/feedback'))
  test('S070 MERCHANT READ shows the back-office', () => {
    expect(toOf('merchant', undefined, { MERCHANT: ['READ'] })).toBe('/merchant')
    expect(toOf('merchant', undefined, { MERCHANT: ['WRITE', 'READ'] })).toBe('/merchant')
  })
  const without: [Permission | undefined][] = [
    [undefined],
    [{}],
    [{ MERCHANT: [] }],
    [{ MERCHANT: ['WRITE', 'ADMIN'] }],
    [{ OTHER: ['READ'] }],
    [{ merchant: ['READ'] }],
  ]
  test.each(without)('S071 %j shows no back-office', (permission) => {
    expect(toOf('merchant', undefined, permission)).toBeUndefined()
  })
})

test.each([
  ['/', 'home'],
  ['/user', 'user'],
  ['/user/device', 'user'],
  ['/user/feedback', 'feedback'],
  ['/user/feedback/abc', 'feedback'],
  ['/merchant/users', 'merchant'],
  ['/username', undefined],
  ['/login', undefined],
])('on %s the current link is %s', (path, name) => expect(currentLink(path)).toBe(name))
