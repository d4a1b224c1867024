// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import HomePage from '../features/home/home-page.tsx'
import { DisplaySettings } from '../features/profile/display-settings.tsx'
import { Frame } from '../frame/frame.tsx'
import { NoPermissionPage } from '../frame/no-permission-page.tsx'
import { useDevice } from '../lib/device/device.ts'
import { acceptMeta, useSite } from '../site/site.store.ts'
import { type Answers, draw, inputsOf, leave, Refusal, serve } from '../test/page.tsx'
import { sampleMeta, sampleUser } from '../test/samples.ts'

const signedOut: Answers = {
  '/api/user/info': () => {
    throw new Refusal('NOT_LOGGED_IN')
  },
}
const site = document.body.firstElementChild as HTMLElement
const links = () => [...site.querySelectorAll('header a')].map((link) => link.getAttribute('href'))

beforeEach(() => {
  serve(signedOut)
  acceptMeta(sampleMeta)
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
})
afterEach(leave)

describe('home', () => {
  test('S002 S021 S022 S023 names the site, says 未登录, leads to sign-in, has the title 授权中心', async () => {
    await draw(<HomePage />)
    expect(site.textContent).toContain('青屿生活')
    expect(site.textContent).toContain('未登录')
    expect(site.querySelector('a[href="/login"]')?.textContent).toBe('立即登录')
    expect(document.title).toBe('授权中心')
  })
  test('the footer shows agreements and record numbers only where the site has them', async () => {
    await draw(<HomePage />)
    expect(site.querySelectorAll('footer a')).toHaveLength(0)
    const agreements = { terms: 'https://a.example/terms', privacy: 'https://a.example/privacy', version: '1' }
    await act(async () => useSite.setState({ agreements, icp: '粤ICP备1号', police: '粤公网安备2号' }))
    const shown = [...site.querySelectorAll('footer a')].map((link) => link.textContent)
    expect(shown).toEqual(['用户协议', '隐私政策', '粤ICP备1号', '粤公网安备2号'])
  })
  test('S003 S004 a configured icon or wordmark is shown, a broken one falls back to the tile', async () => {
    useSite.setState({ logoIcon: '/icon.png' })
    await draw(<HomePage />)
    expect(site.querySelector('img')?.getAttribute('src')).toBe('/icon.png')
    await act(async () => site.querySelector('img')?.dispatchEvent(new Event('error')))
    expect(site.querySelector('.logo')?.textContent).toBe('青')
    await act(async () => useSite.setState({ logoImage: '/word.png' }))
    expect(site.querySelector('img')?.outerHTML).toContain('src="/word.png"')
    expect(site.querySelector('img')?.getAttribute('alt')).toBe('青屿生活')
  })
})

describe('frame', () => {
  test('S067 S070 the back-office entry shows with MERCHANT READ', async () => {
    useSite.setState({ site: 'https://www.qingyu.example' })
    serve({ '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: ['READ'] } }) })
    await draw(<Frame title="页">x</Frame>)
    expect(links()).toEqual([
      'https://www.qingyu.example',
      'https://www.qingyu.example',
      '/user',
      '/user/feedback',
      '/merchant',
    ])
  })
  test('S071 and not without', async () => {
    await draw(<Frame title="页">x</Frame>)
    expect(links()).toEqual(['/', '/', '/user', '/user/feedback'])
  })
  test.each([
    [9, 'true'],
    [10, 'false'],
  ])('S074 S075 at scroll %i near-top is %s', async (scrollY, nearTop) => {
    useDevice.setState({ scrollY })
    await draw(<Frame title="页">x</Frame>)
    expect(site.querySelector('header')?.dataset.nearTop).toBe(nearTop)
  })
  test('S072 a portrait screen has a bar with a menu button, and a back button when there is a way back', async () => {
    useDevice.setState({ width: 390, height: 844 })
    await draw(<Frame title="页">x</Frame>)
    const buttons = () => [...site.querySelectorAll('.bar > button')].map((button) => button.getAttribute('aria-label'))
    expect(buttons()).toEqual(['菜单'])
    await act(async () => useDevice.setState({ hasBack: true }))
    expect(buttons()).toEqual(['返回', '菜单'])
  })
  test('the page without permission says 无权限访问', async () => {
    await draw(<NoPermissionPage />)
    expect(site.querySelector('h1')?.textContent).toBe('无权限访问')
  })
})

describe('display settings', () => {
  const choose = (label: string) =>
    act(async () => [...site.querySelectorAll('label')].find((each) => each.textContent === label)?.click())

  test('S436 the font-size choice offers exactly 小, 标准, 大 and 特大', async () => {
    await draw(<DisplaySettings title="显示" />)
    const choice = site.querySelector('[role=radiogroup][aria-label="字体大小"]')
    expect([...(choice?.querySelectorAll('label') ?? [])].map((label) => label.textContent)).toEqual([
      '小',
      '标准',
      '大',
      '特大',
    ])
  })
  test('S206 S247 S248 each is in force at once', async () => {
    await draw(<DisplaySettings title="显示" />)
    for (const [label, size] of [
      ['小', 12],
      ['大', 16],
      ['特大', 18],
      ['标准', undefined],
    ] as const) {
      await choose(label)
      expect(useDevice.getState().preference.fontSize, label).toBe(size)
      expect(document.documentElement.style.fontSize, label).toBe(`${size ?? 14}px`)
    }
  })
  test('S205 the dark-mode choice sets true, false or nothing', async () => {
    await draw(<DisplaySettings title="显示" />)
    for (const [label, dark] of [
      ['深色', true],
      ['浅色', false],
      ['跟随系统', undefined],
    ] as const) {
      await choose(label)
      expect(useDevice.getState().preference.dark, label).toBe(dark)
    }
  })
})

test('a browser without the mark of a session is not asked who it is', async () => {
  serve({ '/api/user/info': () => sampleUser })
  document.cookie = 'hufu-in=; max-age=0'
  await draw(<HomePage />)
  expect(inputsOf('/api/user/info')).toEqual([])
})
