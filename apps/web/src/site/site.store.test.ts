// @vitest-environment happy-dom
import { fallbackRegion } from '@hufu/contract/regions'
import type { SiteMeta } from '@hufu/contract/site'
import { beforeEach, describe, expect, test } from 'vitest'
import { useDevice } from '../lib/device/device.ts'
import { acceptMeta, earlySite, useSite } from './site.store.ts'

const meta: SiteMeta = {
  name: '青屿生活',
  methods: ['mobile'],
  regions: [fallbackRegion],
  theme: { primary: '#e60012' },
  languages: ['zh-CN'],
  registration: 'open',
  wechatEnabled: false,
}

beforeEach(() => useSite.setState(useSite.getInitialState(), true))

test('S226 the loading screen is visible at start', () => expect(useSite.getState().loading.visible).toBe(true))
test('S077 it starts with 正在加载 and 请耐心等待', () => {
  expect(useSite.getState().loading).toMatchObject({ title: '正在加载', message: '请耐心等待' })
})
test('S190 S191 loading has visible, title, message and retryCount', () => {
  expect(useSite.getState().loading).toMatchObject({
    visible: expect.any(Boolean),
    title: expect.any(String),
    message: expect.any(String),
    retryCount: 0,
  })
})
test('before the meta is there the document says name, colour and logo', () => {
  const early = earlySite({ name: '青屿', primary: '#e60012', logo: '/logo.png' })
  expect(early).toMatchObject({ name: '青屿', theme: { primary: '#e60012' }, logoIcon: '/logo.png' })
})

describe('the meta', () => {
  test('S189 any other field the server returns is copied in', () => {
    const more = { ...meta, slogan: '一站到家', nested: { deep: [1] } }
    acceptMeta(more)
    expect(useSite.getState()).toMatchObject(more)
  })
  test('S189 a field named loading never touches the loading screen', () => {
    const hostile = { ...meta, loading: { visible: true, title: '假', message: '假', retryCount: 9 } }
    acceptMeta(hostile)
    expect(useSite.getState().loading).toMatchObject({ visible: false, title: '正在加载', message: '请耐心等待' })
  })
  test('a field that a later meta no longer has is gone', () => {
    acceptMeta({ ...meta, icp: '粤ICP备1号' })
    acceptMeta(meta)
    expect(useSite.getState().icp).toBeUndefined()
  })
  test('its regions become those of the device', () => {
    acceptMeta(meta)
    expect(useDevice.getState().regions).toEqual([fallbackRegion])
  })
})
