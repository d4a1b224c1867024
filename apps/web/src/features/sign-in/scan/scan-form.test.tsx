// @vitest-environment happy-dom
import { act } from 'react'
import { encode } from 'uqr'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  all,
  button,
  currentAddress,
  draw,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
} from '../../../test/page.tsx'
import { sampleMeta, weChatAgent } from '../../../test/samples.ts'
import LoginPage from '../login/login-page.tsx'

const id = 'aB3dE6gH9jK2mN5pQ8sT_-'
const created = { id, time: 1_763_200_000_000, ip: '2001:db8:1:2:0:0:0:7', origin: 'https://id.example.com' }
const { origin, ...request } = created
const check = '/api/login/request/check'
let status = -1
let failure: unknown

async function open(answers: Answers = {}) {
  serve({
    '/api/user/info': () => {
      throw new Refusal('NOT_LOGGED_IN')
    },
    '/api/login/entry': ({ source }) => source ?? '/user',
    '/api/login/request/create': () => created,
    [check]: () => {
      if (failure) throw failure
      return { status }
    },
    ...answers,
  })
  await draw(<LoginPage />, '/login')
  await act(async () => void (await import('./scan-form.tsx')))
  await settle()
}

const asked = () => inputsOf(check).length
const pass = (ms: number) => act(async () => new Promise((resolve) => setTimeout(resolve, ms)))
/** Waits as a user does, until the page has come so far. */
async function until(come: () => unknown) {
  for (let turn = 0; turn < 200 && !come(); turn++) await pass(20)
  if (!come()) throw new Error(`it never came: ${shownText()}`)
}
let hidden = false
async function look(away: boolean) {
  hidden = away
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')))
}

beforeEach(async () => {
  await leave()
  status = -1
  failure = undefined
  hidden = false
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden)
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta({ ...sampleMeta, methods: ['wechat', 'mobile'] })
})
afterEach(leave)

test('S089 S090 S091 S092 the code is made with level H, width 1000 and margin 2, and holds the address to approve at', async () => {
  await open()
  await until(() => find('svg.qr'))
  const address = `${origin}/loginApprove/${id}/${request.time}/2001%3Adb8%3A1%3A2%3A0%3A0%3A0%3A7`
  const { data, size } = encode(address, { ecc: 'H', border: 2 })
  const dark = data.map((row) => row.map(() => false))
  for (const [, x, y, length] of (find('svg.qr path:last-child')?.getAttribute('d') ?? '').matchAll(
    /M(\d+) (\d+)h(\d+)v1H\d+z/g,
  )) {
    dark[Number(y)]?.fill(true, Number(x), Number(x) + Number(length))
  }
  expect(dark).toEqual(data)
  expect(['width', 'viewBox', 'aria-label'].map((name) => find('svg.qr')?.getAttribute(name))).toEqual([
    '1000',
    `0 0 ${size} ${size}`,
    '登录二维码',
  ])
  expect(shownText()).toContain('打开微信，使用“扫一扫”登录')
})

test('S262 it asks every 500 ms, one at a time, with the request as it was given', async () => {
  // Timers then fire at their own time, however busy the machine is.
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const started: number[] = []
  let under = 0
  let most = 0
  await open({
    [check]: async () => {
      started.push(performance.now())
      most = Math.max(most, ++under)
      await new Promise((resolve) => setTimeout(resolve, 120))
      under -= 1
      return { status: -1 }
    },
  })
  await until(() => asked() >= 4)
  const gaps = started.slice(1).map((time, index) => time - (started[index] ?? 0))
  for (const gap of gaps) expect(gap).toBeCloseTo(500, 0)
  expect([most, inputsOf(check)[0]]).toEqual([1, request])
})

test('S259 scanned: the code is covered, asking goes on, and another account may scan a new one', async () => {
  await open()
  status = 0
  await until(() => shownText().includes('已扫描，请在手机上确认'))
  const before = asked()
  await until(() => asked() > before)
  await press('换个账号，重新扫码')
  expect(inputsOf('/api/login/request/create')).toHaveLength(2)
})

test('S260 S264 approved: the page leads to the source and asks no more', async () => {
  await open()
  status = 1
  await until(() => currentAddress() === '/user')
  const before = asked()
  await pass(700)
  expect(asked()).toBe(before)
})

test('S261 S264 D070 rejected: it says so, stops asking and offers another code', async () => {
  await open()
  status = 2
  await until(() => shownText().includes('授权失败，微信端已拒绝'))
  const before = asked()
  await pass(700)
  expect(asked()).toBe(before)
  status = -1
  await press('重新获取二维码')
  await until(() => asked() > before)
  expect(inputsOf('/api/login/request/create')).toHaveLength(2)
})

test('D028 expired: the code is covered and renewed by a tap', async () => {
  await open()
  failure = new Refusal('LOGIN_REQUEST_EXPIRED', '二维码已过期，请刷新后重试')
  await until(() => button('点击刷新'))
  expect(all('.cover b').map((each) => each.textContent)).toEqual(['二维码已过期'])
  const before = asked()
  await pass(700)
  expect(asked()).toBe(before)
  failure = undefined
  await press('点击刷新')
  await until(() => !find('.cover'))
})

test('S263 another method ends the asking', async () => {
  await open()
  await until(() => asked() > 0)
  await press('手机号登录')
  const before = asked()
  await pass(700)
  expect([find('h1')?.textContent, asked()]).toEqual(['手机号登录', before])
})

test('S262 hidden: nothing is asked; visible again: at once', async () => {
  await open()
  await until(() => asked() > 0)
  await look(true)
  await pass(600)
  const before = asked()
  await pass(700)
  expect(asked()).toBe(before)
  await look(false)
  expect(asked()).toBe(before + 1)
})

test('a lost network is told and asked on; it recovers by itself', async () => {
  await open()
  failure = new TypeError('Failed to fetch')
  await until(() => shownText().includes('网络异常，正在重新连接…'))
  failure = undefined
  await act(async () => void window.dispatchEvent(new Event('online')))
  await until(() => !shownText().includes('网络异常'))
  expect(find('svg.qr')).not.toBeNull()
})

test.each([
  [429, 'TOO_MANY_REQUESTS'],
  [503, 'SERVICE_BUSY'],
])('a refusal with %i ends nothing: the code stays and is asked about again', async (httpStatus, code) => {
  await open()
  failure = new Refusal(code, code, { retryAfter: 1 }, httpStatus)
  await until(() => shownText().includes('服务繁忙，正在重试…'))
  expect([find('svg.qr') !== null, find('.cover')]).toEqual([true, null])
  failure = undefined
  status = 0
  await act(async () => void window.dispatchEvent(new Event('online')))
  await until(() => shownText().includes('已扫描，请在手机上确认'))
  expect([shownText().includes('服务繁忙'), inputsOf('/api/login/request/create').length]).toEqual([false, 1])
})

test('a code that cannot be had says why and is tried again by a tap', async () => {
  let answers = false
  await open({
    '/api/login/request/create': () => {
      if (!answers) throw new Refusal('SERVICE_BUSY', '服务繁忙，请稍后再试')
      return created
    },
  })
  await until(() => shownText().includes('服务繁忙，请稍后再试'))
  answers = true
  await press('重试')
  await until(() => find('svg.qr'))
})

test('S009 inside WeChat the method is not offered', async () => {
  useDevice.setState({ userAgent: weChatAgent })
  await open()
  expect([find('h1')?.textContent, shownText().includes('扫码'), inputsOf('/api/login/request/create')]).toEqual([
    '手机号登录',
    false,
    [],
  ])
})
