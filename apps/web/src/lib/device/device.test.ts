// @vitest-environment happy-dom
import { fallbackRegion } from '@hufu/contract/regions'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { changePreference, followAccount, followDevice, refreshDevice, setTitle, useDevice } from './device.ts'
import { inForce, isDark } from './device-rules.ts'
import { parsePreference, readPreference } from './preference.ts'

const root = document.documentElement
const stored = () => localStorage.getItem('device_preference')
let stop = () => {}

beforeEach(() => {
  localStorage.clear()
  useDevice.setState(useDevice.getInitialState(), true)
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('device state', () => {
  test('S201 S202 has its fields', () => {
    const fields =
      'width height scrollX scrollY fontSize title hasBack userAgent systemLanguage systemDark regions preference accountPreference'
    expect(Object.keys(useDevice.getState()).sort()).toEqual(fields.split(' ').sort())
  })
  test('S203 fontSize is 14 by default', () => expect(useDevice.getState().fontSize).toBe(14))
  test('S204 systemLanguage is en-US by default', () => expect(useDevice.getState().systemLanguage).toBe('en-US'))
  test('S207 the preference has a region key and a language', () => {
    changePreference({ region: 'CN', language: 'zh-CN' })
    expect(useDevice.getState().preference).toEqual({ region: 'CN', language: 'zh-CN' })
  })
  test('S201 the title of the device is that of the document', () => {
    setTitle('设备信息')
    expect([useDevice.getState().title, document.title]).toEqual(['设备信息', '设备信息'])
  })
})

describe('preference change', () => {
  test.each([12, 16, 18] as const)('S247 sets the root font size to the preferred %i px', (fontSize) => {
    changePreference({ fontSize })
    expect(root.style.fontSize).toBe(`${fontSize}px`)
    expect(useDevice.getState().fontSize).toBe(fontSize)
  })
  test('S248 without a font size sets the root font size to 14 px', () => {
    changePreference({ fontSize: 18 })
    changePreference({ dark: true })
    expect(root.style.fontSize).toBe('18px')
    changePreference({ fontSize: undefined })
    expect(root.style.fontSize).toBe('14px')
  })
  test('S208 S249 writes the preference itself as JSON under device_preference at once', () => {
    changePreference({ dark: true })
    expect(stored()).toBe('{"dark":true}')
    changePreference({ fontSize: 16, region: 'CN', language: 'zh-CN' })
    expect(JSON.parse(stored() ?? '')).toEqual({ dark: true, fontSize: 16, region: 'CN', language: 'zh-CN' })
  })
  test('S249 a field that is unset is absent from storage', () => {
    changePreference({ dark: false, fontSize: 12 })
    changePreference({ dark: undefined })
    expect(stored()).toBe('{"fontSize":12}')
  })
  test('holds also where storage is forbidden', () => {
    const forbidden = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('localStorage', { getItem: forbidden, setItem: forbidden })
    changePreference({ dark: true })
    expect(useDevice.getState().preference).toEqual({ dark: true })
    expect(readPreference()).toEqual({})
  })
})

describe('preference of the account', () => {
  const device = () => useDevice.getState()
  test('D062 fills what is unset on this device and never enters the storage', () => {
    changePreference({ dark: false })
    followAccount({ dark: true, fontSize: 18 })
    expect(inForce(device())).toEqual({ dark: false, fontSize: 18 })
    expect([isDark({ ...device(), systemDark: true }), root.style.fontSize]).toEqual([false, '18px'])
    expect(stored()).toBe('{"dark":false}')
  })
  test('D062 a change on this device keeps the rest of the account in force, but stores only itself', () => {
    followAccount({ dark: true, fontSize: 18 })
    changePreference({ fontSize: 12 })
    expect([inForce(device()), stored()]).toEqual([{ dark: true, fontSize: 12 }, '{"fontSize":12}'])
  })
  test('D062 is gone when no user is signed in any more', () => {
    followAccount({ dark: true, fontSize: 18, region: 'HK', language: 'zh-HK' })
    followAccount({})
    expect([inForce(device()), root.style.fontSize]).toEqual([{}, '14px'])
  })
})

describe('saved preference', () => {
  test('S209 is in force again after a reload', () => {
    localStorage.setItem('device_preference', '{"dark":true,"fontSize":18,"region":"HK","language":"zh-HK"}')
    stop = followDevice()
    expect(useDevice.getState().preference).toEqual({ dark: true, fontSize: 18, region: 'HK', language: 'zh-HK' })
    expect(root.style.fontSize).toBe('18px')
  })
  test('S209 a change in another tab is in force here too', () => {
    stop = followDevice()
    window.dispatchEvent(new StorageEvent('storage', { key: 'device_preference', newValue: '{"fontSize":12}' }))
    window.dispatchEvent(new StorageEvent('storage', { key: 'something_else', newValue: '{"fontSize":18}' }))
    expect(useDevice.getState().preference).toEqual({ fontSize: 12 })
  })
  test.each([null, '', 'rubbish', 'null', '7', '[]', '{"dark":"yes","fontSize":14,"region":5,"language":{}}'])(
    'S208 rubbish in storage (%j) counts as nothing chosen',
    (text) => expect(parsePreference(text)).toEqual({}),
  )
})

describe('device refresh', () => {
  test('S250 reads width and height from the window', () => {
    Object.assign(window, { innerWidth: 777, innerHeight: 555 })
    refreshDevice()
    expect(useDevice.getState()).toMatchObject({ width: 777, height: 555 })
  })
  test('S251 reads scrollX and scrollY from the window', () => {
    window.scrollTo(3, 42)
    refreshDevice()
    expect(useDevice.getState()).toMatchObject({ scrollX: 3, scrollY: 42 })
  })
  test('S252 reads the user agent', () => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Test/1 MicroMessenger')
    refreshDevice()
    expect(useDevice.getState().userAgent).toBe('Test/1 MicroMessenger')
  })
  test('S253 reads the root font size from the document', () => {
    root.style.fontSize = '17px'
    refreshDevice()
    expect(useDevice.getState().fontSize).toBe(17)
  })
  test('S254 reads the browser language as systemLanguage', () => {
    vi.spyOn(navigator, 'language', 'get').mockReturnValue('ja-JP')
    refreshDevice()
    expect(useDevice.getState().systemLanguage).toBe('ja-JP')
  })
  test('keeps regions and preference as they are', () => {
    useDevice.setState({ regions: [fallbackRegion], preference: { dark: true } })
    refreshDevice()
    expect(useDevice.getState()).toMatchObject({ regions: [fallbackRegion], preference: { dark: true } })
  })
})
