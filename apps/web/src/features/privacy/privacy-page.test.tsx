// @vitest-environment happy-dom
import type { MadeFile } from '@hufu/contract/fields'
import { QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { Route, Routes, useNavigate } from 'react-router'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import TwoFactorPage from '../../identity/step-up/two-factor-page.tsx'
import { queryClient } from '../../lib/call/query-client.ts'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
  currentAddress,
  draw,
  failing,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
  type,
} from '../../test/page.tsx'
import { sampleAgreements, sampleMeta, sampleUser, weChatAgent } from '../../test/samples.ts'
import PrivacyPage from './privacy-page.tsx'

const hour = 3_600_000
const exportPath = '/api/user/data/export'
const listPath = '/api/user/data/exports'
const checkPath = '/user/twoFactor/authorize'

const made = (part: Partial<MadeFile> = {}): MadeFile => ({
  id: 'e1',
  status: 'waiting',
  done: 0,
  total: 8,
  time: Date.now(),
  expires: null,
  ...part,
})
const finished = () => made({ status: 'done', done: 8, expires: Date.now() + 24 * hour })

/** A server on which the check is by password. */
function server(exports: MadeFile[] = [], checked = false): Answers {
  let twoFactor = checked
  return {
    '/api/user/info': () => ({ ...sampleUser, mobile: null, agreements: sampleAgreements.version, twoFactor }),
    '/api/user/agreements/list': () => ({ count: 0, data: [] }),
    '/api/user/twoFactor/state': () => ({ twoFactor, way: 'password', second: [] }),
    '/api/user/twoFactor/verify': () => {
      twoFactor = true
      return null
    },
    [listPath]: () => ({ count: exports.length, data: [...exports] }),
    [exportPath]: () => {
      if (!twoFactor) throw new Refusal('TWO_FACTOR_REQUIRED')
      exports.unshift(made())
      return exports[0]
    },
  }
}

/** The browser's own button. */
function Back() {
  const navigate = useNavigate()
  return (
    <button type="button" onClick={() => navigate(-1)}>
      后退
    </button>
  )
}
const places = (
  <>
    <Routes>
      <Route path="/user/privacy" element={<SignedIn page={<PrivacyPage />} />} />
      <Route path={checkPath} element={<SignedIn page={<TwoFactorPage />} />} />
      <Route path="*" element={null} />
    </Routes>
    <Back />
  </>
)
async function open(answers: Answers) {
  serve(answers)
  await draw(places, '/user/privacy')
}
/** With the patience of the product, which asks again and again. */
async function openPatiently(answers: Answers) {
  queryClient.clear()
  serve(answers)
  await draw(<QueryClientProvider client={queryClient}>{places}</QueryClientProvider>, '/user/privacy')
}
async function check() {
  await type('登录密码', 'Qingyu#2026')
  await press('验证')
}
async function download() {
  await act(async () => find('a[download]')?.click())
  await settle()
}
/** Lets a second go by for what is asked every second. */
async function passSecond() {
  await act(async () => new Promise((resolve) => setTimeout(resolve, 1_050)))
  await settle()
}

/** The files that the browser was told to save, as links that aren't on the page. */
const saved: string[] = []
function save(event: MouseEvent) {
  const link = event.target as HTMLElement
  if (event.defaultPrevented || !link.hasAttribute('download')) return
  event.preventDefault()
  saved.push(link.getAttribute('href') ?? '')
}
beforeAll(() => window.addEventListener('click', save))
afterAll(() => window.removeEventListener('click', save))
afterEach(async () => {
  await leave()
  queryClient.clear()
})
beforeEach(() => {
  saved.length = 0
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
  window.history.replaceState({ idx: 5 }, '')
})

describe('agreements', () => {
  test('the two texts, the version in force with the day it was agreed to, and earlier ones', async () => {
    acceptMeta({ ...sampleMeta, agreements: sampleAgreements })
    const data = [
      { version: '2026-11', time: new Date(2025, 5, 3, 9, 17).getTime() },
      { version: '2025-06', time: new Date(2024, 5, 3, 8, 5).getTime() },
    ]
    await open({ ...server(), '/api/user/agreements/list': () => ({ count: 2, data }) })
    expect(all('a.row[target=_blank]').map((row) => row.getAttribute('href'))).toEqual([
      'https://a.example/terms',
      'https://a.example/privacy',
    ])
    expect(shownText()).toMatch(/当前版本2026-11，.*6 月 3 日 09:17 同意/)
    expect(all('.consents li').map((each) => each.textContent)).toEqual(['2025-06，2024 年 6 月 3 日 08:05 同意'])
  })
  test('what was agreed to doesn’t come: that is said, and can be asked for again', async () => {
    acceptMeta({ ...sampleMeta, agreements: sampleAgreements })
    const { '/api/user/agreements/list': _, ...offline } = server()
    await openPatiently(offline)
    expect([alertText(), shownText().includes('尚未同意')]).toEqual(['网络异常，请稍后再试', false])
    serve(server())
    await press('重试')
    expect([alertText(), shownText().includes('2026-11，尚未同意')]).toEqual([undefined, true])
  })
  test('nothing of it where the site has none', async () => {
    await open(server())
    expect([shownText().includes('用户协议'), inputsOf('/api/user/agreements/list')]).toEqual([false, []])
  })
})

describe('export', () => {
  test('D073 the check first, then it begins by itself and is followed until the file is there', async () => {
    const exports: MadeFile[] = []
    await open(server(exports))
    await press('导出我的数据')
    expect([currentAddress(), inputsOf(exportPath)]).toEqual([checkPath, []])
    await check()
    expect([currentAddress(), inputsOf(exportPath)]).toEqual(['/user/privacy', [{}]])
    expect([shownText().includes('正在准备导出'), find('progress') !== null]).toEqual([true, true])
    exports[0] = made({ status: 'running', done: 3 })
    await passSecond()
    expect([find<HTMLProgressElement>('progress')?.value, shownText().includes('3 / 8')]).toEqual([3, true])
    exports[0] = finished()
    await passSecond()
    expect(shownText()).toMatch(/导出完成有效至 .+ \d\d:\d\d/)
    expect(find('a[download]')?.getAttribute('href')).toBe('/api/user/data/file?id=e1')
    const asked = inputsOf(listPath).length
    await passSecond()
    expect(inputsOf(listPath)).toHaveLength(asked)
  })
  test('who comes back from the check without it begins nothing', async () => {
    await open(server())
    await press('导出我的数据')
    await press('后退')
    expect([currentAddress(), inputsOf(exportPath)]).toEqual(['/user/privacy', []])
  })
  test('the file is fetched at once while a check is in force', async () => {
    await open(server([finished()], true))
    await download()
    expect([saved, currentAddress()]).toEqual([['/api/user/data/file?id=e1'], '/user/privacy'])
    expect(document.querySelectorAll('a[download]')).toHaveLength(1)
  })
  test('and after one where it has run out', async () => {
    await open(server([finished()]))
    await download()
    expect([currentAddress(), saved]).toEqual([checkPath, []])
    await check()
    expect([currentAddress(), saved]).toEqual(['/user/privacy', ['/api/user/data/file?id=e1']])
  })
  test('what goes wrong on the way to the check is told at once', async () => {
    const busy = failing('SERVICE_BUSY', '服务繁忙，请稍后再试')
    await openPatiently({ ...server([finished()], true), '/api/user/twoFactor/state': busy })
    await press('重新导出')
    expect([alertText(), button('重新导出')?.ariaBusy ?? null]).toEqual(['服务繁忙，请稍后再试', null])
    const { '/api/user/twoFactor/state': _, ...offline } = server([finished()], true)
    serve(offline)
    await download()
    expect([alertText(), find('a[download]')?.ariaBusy ?? null, saved]).toEqual(['网络异常，请稍后再试', null, []])
  })
  test('what was pressed is busy, not the other, and neither can be pressed meanwhile', async () => {
    let answer: (value: unknown) => void = () => undefined
    const statePath = '/api/user/twoFactor/state'
    await open({ ...server([finished()], true), [statePath]: () => new Promise((resolve) => (answer = resolve)) })
    const busy = () => [find('a[download]'), button('重新导出')].map((each) => each?.getAttribute('aria-busy') ?? null)
    await download()
    expect(busy()).toEqual(['true', null])
    await download()
    await press('重新导出')
    expect([inputsOf(statePath).length, busy()]).toEqual([1, ['true', null]])
    await act(async () => answer({ twoFactor: true, way: 'password', second: [] }))
    await settle()
    expect([saved.length, inputsOf(exportPath), busy()]).toEqual([1, [], [null, null]])
    await press('重新导出')
    expect(busy()).toEqual([null, 'true'])
  })
  test('a file that is over is as none, and a failed one can be tried again', async () => {
    await open(server([{ ...finished(), expires: Date.now() - 1 }]))
    expect([find('a[download]'), button('导出我的数据') !== undefined]).toEqual([null, true])
    await open(server([made({ status: 'failed' })], true))
    expect(shownText()).toContain('导出失败')
    await press('重试')
    expect([inputsOf(exportPath), find('progress') !== null]).toEqual([[{}], true])
  })
  test('what the server says against it is told; one that another tab began shows', async () => {
    const busy = failing('EXPORT_BUSY', '已有导出任务正在进行，请等待完成后再试')
    const exports: MadeFile[] = []
    await open({ ...server(exports, true), [exportPath]: failing('TOO_MANY_REQUESTS', '操作过于频繁，请稍后再试') })
    await press('导出我的数据')
    expect(alertText()).toBe('操作过于频繁，请稍后再试')
    serve({ ...server(exports, true), [exportPath]: failing('SECOND_TOO_FRESH', '登录方式在新设备上刚刚更改过') })
    await press('导出我的数据')
    expect([alertText(), currentAddress()]).toEqual(['登录方式在新设备上刚刚更改过', '/user/privacy'])
    serve({ ...server([made()], true), [exportPath]: busy })
    await press('导出我的数据')
    expect([find('progress') !== null, alertText()]).toEqual([true, undefined])
  })
  test('without a network the list can be asked for again', async () => {
    const { [listPath]: _, ...offline } = server()
    await openPatiently(offline)
    expect(alertText()).toBe('网络异常，请稍后再试')
    serve(server())
    await press('重试')
    expect(button('导出我的数据')).toBeDefined()
  })
  test('inside WeChat it says where the file can be fetched', async () => {
    useDevice.setState({ userAgent: weChatAgent })
    await open(server([finished()]))
    expect(shownText()).toContain('请用浏览器登录后打开本页')
  })
})
