// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { changePreference, useDevice } from '../lib/device/device.ts'
import { acceptMeta } from './site.store.ts'
import { followLook } from './site-look.ts'

const meta = {
  name: '红站',
  methods: [],
  regions: [],
  theme: { primary: '#e60012' },
  languages: ['zh-CN'],
  registration: 'open' as const,
  wechatEnabled: false,
}
const root = document.documentElement
const icon = () => document.querySelector('link[rel="icon"]')?.getAttribute('href') ?? ''

document.head.innerHTML = '<meta name="theme-color" content=""><link rel="icon" href="/favicon.svg">'
followLook()

test('S435 before the meta the default colour is in force', () => {
  expect(root.style.getPropertyValue('--brand')).toBe('#5374fa')
})

test("the meta brings the site's colour and icon, or a tile with its first character", () => {
  acceptMeta({ ...meta, logoIcon: '/icon.png' })
  expect(root.style.getPropertyValue('--brand')).toBe('#e60012')
  expect(icon()).toBe('/icon.png')
  acceptMeta({ ...meta, name: '<站' })
  expect(decodeURIComponent(icon())).toMatch(/^data:image\/svg\+xml,.*>&lt;<\/text>/)
})

test('S239 S240 the document follows the preference, and without one the system', () => {
  const look = () => [root.classList.contains('dark'), root.style.colorScheme]
  useDevice.setState({ systemDark: true })
  expect(look()).toEqual([true, 'dark'])
  changePreference({ dark: false })
  expect(look()).toEqual([false, 'light'])
  changePreference({ dark: undefined })
  expect(look()).toEqual([true, 'dark'])
  expect(document.querySelector('meta[name="theme-color"]')?.getAttribute('content')).toBe('#0d0e11')
})
