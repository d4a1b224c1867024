// @vitest-environment happy-dom
import type { SignedInDevice } from '@hufu/contract/devices'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { useSessionEnd } from '../../session/profile.api.ts'
import { acceptMeta } from '../../site/site.store.ts'
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
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import HomePage from '../home/home-page.tsx'
import DevicesPage from './devices-page.tsx'

const list = '/api/user/token/list'

/** A server that knows so many devices; the last of them, the oldest, is this one. */
function server(count: number): Answers {
  let devices: SignedInDevice[] = Array.from({ length: count }, (_, at) => ({
    id: `d${at}`,
    browser: `Chrome ${at}`,
    device: '电脑',
    os: 'Windows 10',
    ip: `203.0.113.${at}`,
    region: at === 0 ? '广东省 深圳市' : null,
    time: Date.now(),
    lastAccess: Date.now(),
    current: at === count - 1,
  }))
  return {
    '/api/user/info': () => {
      if (!devices.some(({ current }) => current)) throw new Refusal('NOT_LOGGED_IN')
      return sampleUser
    },
    [list]: ({ top, skip }) => ({
      count: devices.length,
      data: devices.slice(Number(skip), Number(skip) + Number(top)),
    }),
    '/api/user/token/remove': ({ id }) => {
      devices = devices.filter((device) => device.id !== id)
      return null
    },
    '/api/user/token/removeAll': () => {
      const before = devices.length
      devices = devices.filter(({ current }) => current)
      return { removed: before - devices.length }
    },
  }
}
const failing = (code: string, message: string) => () => {
  throw new Refusal(code, message)
}

function App() {
  useSessionEnd()
  return (
    <>
      <Routes>
        <Route path="/" element={<HomePage />} />
        <Route path="/user/onlineDevices" element={<SignedIn page={<DevicesPage />} />} />
        <Route path="*" element={null} />
      </Routes>
      <Toaster />
    </>
  )
}
async function open(answers: Answers) {
  serve(answers)
  await draw(<App />, '/user/onlineDevices')
}
/** Presses the button of the dialog that goes on. */
async function goOn() {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}
const cards = () => all('li.device').map((card) => card.querySelector('b')?.textContent)

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('device list', () => {
  test('S032 lists browser, system, place and time, this one first and marked', async () => {
    await open(server(3))
    expect(cards()).toEqual(['Chrome 2  Windows 10本机', 'Chrome 0  Windows 10', 'Chrome 1  Windows 10'])
    const facts = all('li.device p').map((line) => line.textContent)
    expect(facts).toEqual(['203.0.113.2', '正在使用', '广东省 深圳市203.0.113.0', '刚刚', '203.0.113.1', '刚刚'])
    expect(shownText()).toContain('您的账号正在 3 台设备上登录。')
  })
  test.each([
    [767, 5],
    [768, 10],
  ])('S186 S187 at width %i a page has %i', async (width, top) => {
    useDevice.setState({ width })
    await open(server(12))
    expect(inputsOf(list)).toEqual([{ top, skip: 0 }])
    expect(cards()).toHaveLength(top)
    await press('下一页')
    expect(inputsOf(list).at(-1)).toEqual({ top, skip: top })
  })
  test('the pager leads there and back, and isn’t there for one page', async () => {
    await open(server(12))
    expect([button('上一页')?.disabled, find('.pager span')?.textContent]).toEqual([true, '1 / 2'])
    await press('下一页')
    expect(cards()).toEqual(['Chrome 11  Windows 10本机', 'Chrome 10  Windows 10'])
    expect(button('下一页')?.disabled).toBe(true)
    await press('上一页')
    expect(cards()).toHaveLength(10)
    await open(server(10))
    expect(find('.pager')).toBeNull()
  })
  test('a narrower page keeps the device that was first', async () => {
    await open(server(22))
    await press('下一页')
    await act(async () => useDevice.setState({ width: 390 }))
    await settle()
    expect(inputsOf(list).at(-1)).toEqual({ top: 5, skip: 10 })
    expect(find('.pager span')?.textContent).toBe('3 / 5')
  })
  test('while it loads its shape is shown; without a network it can be tried again', async () => {
    let answer: (value: unknown) => void = () => undefined
    await open({ ...server(1), [list]: () => new Promise((resolve) => (answer = resolve)) })
    expect(find('[role=status][aria-label="正在加载登录设备"]')).not.toBeNull()
    expect(button('退出其他设备')?.disabled).toBe(true)
    await act(async () => answer({ count: 0, data: [] }))
    await settle()
    expect(shownText()).toContain('没有登录中的设备')
    await open({ '/api/user/info': () => sampleUser })
    expect(shownText()).toContain('网络异常，请稍后再试')
    serve(server(2))
    await press('重试')
    expect(cards()).toHaveLength(2)
  })
})

describe('removing', () => {
  test('asks first, then the list is new', async () => {
    await open(server(3))
    await press('下线 Chrome 0 · Windows 10')
    expect(find('dialog')?.textContent).toContain('Chrome 0 · Windows 10 将退出登录')
    await press('取消')
    expect([find('dialog'), inputsOf('/api/user/token/remove')]).toEqual([null, []])
    await press('下线 Chrome 0 · Windows 10')
    await goOn()
    expect(inputsOf('/api/user/token/remove')).toEqual([{ id: 'd0' }])
    expect(cards()).toEqual(['Chrome 2  Windows 10本机', 'Chrome 1  Windows 10'])
    expect([find('dialog'), find('.toast')?.textContent]).toEqual([null, '该设备已下线'])
  })
  test('a page that became empty steps back', async () => {
    useDevice.setState({ width: 390 })
    await open(server(7))
    await press('下一页')
    expect(cards()).toEqual(['Chrome 6  Windows 10本机', 'Chrome 5  Windows 10'])
    await press('退出其他设备')
    await goOn()
    expect(cards()).toEqual(['Chrome 6  Windows 10本机'])
    expect(inputsOf(list).at(-1)).toEqual({ top: 5, skip: 0 })
  })
  test('a failure is told in the dialog, and it can be tried again', async () => {
    await open({ ...server(3), '/api/user/token/remove': failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await press('下线 Chrome 1 · Windows 10')
    await goOn()
    expect([find('dialog') !== null, alertText()]).toEqual([true, '服务繁忙，请稍后再试'])
    serve(server(3))
    await goOn()
    expect(find('dialog')).toBeNull()
  })
  test('S372 退出其他设备 leaves this one, and is off with nothing to end', async () => {
    await open(server(4))
    await press('退出其他设备')
    await goOn()
    expect(cards()).toEqual(['Chrome 3  Windows 10本机'])
    expect(find('.toast')?.textContent).toBe('其他设备均已退出登录')
    expect(button('退出其他设备')?.disabled).toBe(true)
  })
  test('D057 removing this device is signing out', async () => {
    await open(server(2))
    await press('下线 Chrome 1 · Windows 10')
    expect(find('dialog')?.textContent).toContain('您将在这台设备上退出登录')
    await goOn()
    expect(inputsOf('/api/user/token/remove')).toEqual([{ id: 'd1' }])
    expect([currentAddress(), find('.toast')?.textContent]).toEqual(['/', '已退出登录'])
  })
})

describe('D035 a browser removed elsewhere learns at its next call, in place', () => {
  test.each(['SESSION_REMOVED', 'NOT_LOGGED_IN'])('by %s', async (code) => {
    await open(server(12))
    serve({ '/api/user/info': failing('SESSION_REMOVED', ''), '/api/user/token/remove': failing(code, code) })
    await press('下线 Chrome 1 · Windows 10')
    await goOn()
    expect(currentAddress()).toBe('/user/onlineDevices')
    expect(shownText()).toContain('已下线，请重新登录')
    expect(find('dialog.dialog')).toBeNull()
    const link = all('a').find((each) => each.textContent === '立即登录')
    expect(link?.getAttribute('href')).toBe('/login/%2Fuser%2FonlineDevices')
  })
  test('also while it reads the next page', async () => {
    await open(server(12))
    serve({
      '/api/user/info': failing('SESSION_REMOVED', ''),
      [list]: failing('SESSION_REMOVED', '已下线，请重新登录'),
    })
    await press('下一页')
    expect(shownText()).toContain('已下线，请重新登录')
  })
})
