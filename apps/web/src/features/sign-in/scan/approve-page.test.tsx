// @vitest-environment happy-dom
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  alertText,
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
import { sampleMeta, sampleUser, weChatAgent } from '../../../test/samples.ts'
import ApprovePage from './approve-page.tsx'

const id = 'aB3dE6gH9jK2mN5pQ8sT_-'
const time = new Date(2026, 10, 14, 21, 36).getTime()
const path = `/loginApprove/${id}/${time}/120.24.78.68`
const request = { id, time, ip: '120.24.78.68' }
const asked = {
  site: '青屿生活',
  host: 'id.qingyu.example',
  browser: 'Chrome 142',
  os: 'macOS',
  device: '电脑',
  ip: '120.24.78.68',
  region: '广东省 深圳市',
  time,
  network: 'same',
}
const process = '/api/login/request/process'
const close = vi.fn()
let call: ReturnType<typeof vi.fn<(action: string) => void>>

async function open(answers: Answers = {}, at = path) {
  serve({ '/api/user/info': () => sampleUser, [process]: () => asked, ...answers })
  await draw(
    <Routes>
      <Route path="/loginApprove/:id/:time/:ip" element={<ApprovePage />} />
      <Route path="*" element={null} />
    </Routes>,
    at,
  )
}
const refuse = (code: string, message: string) => () => {
  throw new Refusal(code, message)
}
const failLater = (code: string, message: string) => (input: Record<string, unknown>) => {
  if (input.status !== 0) throw new Refusal(code, message)
  return asked
}

beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  close.mockReset()
  call = vi.fn()
  vi.spyOn(window, 'close').mockImplementation(close)
})
afterEach(async () => {
  await leave()
  vi.useRealTimers()
  window.WeixinJSBridge = undefined as never
})

test('S016 S095 opening marks the request as scanned and shows what asks, as whom, and both choices', async () => {
  await open()
  expect(inputsOf(process)).toEqual([{ ...request, status: 0 }])
  expect(all('.facts > div').map((row) => [...row.children].map((part) => part.textContent))).toEqual([
    ['账号', '林知夏+86 138****5678'],
    ['网站', '青屿生活id.qingyu.example'],
    ['设备', 'Chrome 142  macOS'],
    ['地点', '广东省 深圳市IP 120.24.78.68'],
    ['时间', '11 月 14 日 21:36'],
  ])
  expect([button('确认登录'), button('拒绝')]).not.toContain(undefined)
  expect(find('.notice.good')?.textContent).toBe('与本机在同一网络')
  expect(shownText()).toContain('如非本人操作，请点“拒绝”，并尽快修改密码')
  expect(document.title).toBe('登录确认')
})

test('S346 a visitor who is not signed in is led to sign in and back to this page', async () => {
  await open({ '/api/user/info': refuse('NOT_LOGGED_IN', '请先登录') })
  expect([currentAddress(), inputsOf(process)]).toEqual([`/login/${encodeURIComponent(path)}`, []])
})

describe('deciding', () => {
  const end = async (choice: string) => {
    await open()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await act(async () => button(choice)?.click())
    for (let turn = 0; turn < 8; turn++) await act(async () => void (await vi.advanceTimersByTimeAsync(1)))
  }
  test('S096 S265 approving sends 1, says so and closes after 3 s', async () => {
    await end('确认登录')
    expect(inputsOf(process).at(-1)).toEqual({ ...request, status: 1 })
    expect([find('h1')?.textContent, shownText().includes('您可以关闭此页面')]).toEqual(['已确认登录', true])
    await act(async () => void vi.advanceTimersByTime(2_900))
    expect(close).not.toHaveBeenCalled()
    await act(async () => void vi.advanceTimersByTime(100))
    expect(close).toHaveBeenCalledOnce()
  })
  test('S097 S266 rejecting sends 2, says so and closes after 3 s', async () => {
    await end('拒绝')
    expect([inputsOf(process).at(-1), find('h1')?.textContent]).toEqual([{ ...request, status: 2 }, '已拒绝登录'])
    await act(async () => void vi.advanceTimersByTime(3_000))
    expect(close).toHaveBeenCalledOnce()
  })
  test('S096 inside WeChat its bridge closes the window, also when it comes late', async () => {
    useDevice.setState({ userAgent: weChatAgent })
    await end('确认登录')
    await act(async () => void vi.advanceTimersByTime(3_000))
    expect(close).not.toHaveBeenCalled()
    window.WeixinJSBridge = { call }
    document.dispatchEvent(new Event('WeixinJSBridgeReady'))
    expect(call).toHaveBeenCalledExactlyOnceWith('closeWindow')
  })
  test('D030 from another region it is said in amber and asked once more', async () => {
    await open({ [process]: () => ({ ...asked, region: '浙江省 杭州市', network: 'elsewhere' }) })
    expect(find('.notice.warn')?.textContent).toBe('来自其他地区，请确认是您本人操作')
    await press('确认登录')
    expect(inputsOf(process)).toHaveLength(1)
    expect(find('dialog')?.textContent).toContain('浙江省 杭州市')
    await act(async () => find('dialog .danger-main')?.click())
    await settle()
    expect([inputsOf(process).at(-1), find('h1')?.textContent]).toEqual([{ ...request, status: 1 }, '已确认登录'])
  })
  test('D030 where nothing is known of the network nothing is said', async () => {
    await open({ [process]: () => ({ ...asked, region: null, network: null }) })
    expect([find('.notice'), shownText().includes('未知地点')]).toEqual([null, true])
  })
})

describe('errors', () => {
  test('S098 an error is shown and the choice stands there again', async () => {
    await open({ [process]: failLater('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await press('确认登录')
    expect(alertText()).toBe('服务繁忙，请稍后再试')
    expect([find('h1')?.textContent, button('确认登录'), button('拒绝')]).not.toContain(undefined)
    expect(all('.facts > div')).toHaveLength(5)
  })
  test.each([
    ['LOGIN_REQUEST_EXPIRED', '二维码已过期，请刷新后重试'],
    ['LOGIN_REQUEST_TAKEN', '该二维码已被其他账号扫描，请刷新二维码后重试'],
    ['LOGIN_REQUEST_DONE', '该登录请求已处理，请勿重复操作'],
  ])('S098 %s at the opening says what to do', async (code, message) => {
    await open({ [process]: refuse(code, message) })
    expect([alertText(), button('确认登录'), button('重试')]).toEqual([message, undefined, undefined])
    expect(shownText()).toContain('请在要登录的设备上刷新二维码，再重新扫描')
  })
  test('S098 without network the opening can be tried again', async () => {
    let answers = false
    await open({
      [process]: () => {
        if (!answers) throw new TypeError('Failed to fetch')
        return asked
      },
    })
    expect(alertText()).toBe('网络异常，请稍后再试')
    answers = true
    await press('重试')
    expect(button('确认登录')).toBeDefined()
  })
  test.each([
    '/loginApprove/x/1/1.2.3.4',
    `/loginApprove/${id}/NaN/1.2.3.4`,
    `/loginApprove/${id}/1/javascript:alert(1)`,
    `/loginApprove/${id}/1/%3Cimg%20src=x%3E`,
    `/loginApprove/%E0%A4%A/1/1.2.3.4`,
  ])('S098 %s is no request: it is said and nothing is called', async (at) => {
    await open({}, at)
    expect([inputsOf(process), alertText()]).toEqual([[], '登录链接无效'])
  })
})

test('D169 a protected account without a recent factor is led to the step-up, and decides afterwards', async () => {
  await open({ [process]: failLater('TWO_FACTOR_REQUIRED', '当前操作需要先验证您的身份') })
  await press('确认登录')
  expect([currentAddress(), inputsOf(process).at(-1)]).toEqual(['/user/twoFactor/authorize', { ...request, status: 1 }])
})
