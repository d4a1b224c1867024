// @vitest-environment happy-dom
import type { OwnSecurityEntry } from '@hufu/contract/security'
import { QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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
  serve,
  settle,
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import { AccountCard } from '../profile/account-card.tsx'
import SecurityPage from './security-page.tsx'

const list = '/api/user/security/list'
const disown = '/api/user/security/disown'
const minute = 60_000
const today = new Date().setHours(12, 0, 0, 0)

let made = 0
const entry = (event: string, differently: Partial<OwnSecurityEntry> = {}): OwnSecurityEntry => ({
  id: `e${made++}`,
  time: today,
  event,
  ip: null,
  region: null,
  method: null,
  browser: null,
  os: null,
  count: null,
  client: null,
  session: null,
  ...differently,
})
const session = (id: string, differently: Partial<NonNullable<OwnSecurityEntry['session']>> = {}) => ({
  session: { id, live: true, current: false, disowned: false, ...differently },
})
const chrome = { browser: 'Chrome 142', os: 'Windows', ip: '203.0.113.9', region: '广东省 深圳市' }

const history = (entries: OwnSecurityEntry[], more = false): Answers => ({
  '/api/user/info': () => sampleUser,
  [list]: ({ top, skip }) => ({
    count: entries.length,
    more,
    data: entries.slice(Number(skip), Number(skip) + Number(top)),
  }),
  [disown]: () => null,
})

async function open(answers: Answers) {
  serve(answers)
  await draw(
    <>
      <Routes>
        <Route path="/user/security" element={<SecurityPage />} />
        <Route path="*" element={null} />
      </Routes>
      <Toaster />
    </>,
    '/user/security',
  )
}
/** Presses the button of the dialog that goes on. */
async function goOn() {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}
const rows = () => all('li.happening')
const titles = () => rows().map((row) => row.querySelector('b')?.textContent)

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('history', () => {
  test('says in words what happened, with what, from where and when', async () => {
    await open(
      history([
        entry('login', { method: 'mobile', ...chrome, ...session('s1', { current: true }) }),
        entry('login.failed', { count: 3, ip: '198.51.100.1', time: today - minute }),
        entry('authorize', { client: '青屿商城' }),
        entry('check', { method: 'password' }),
        entry('wechat.bind'),
        entry('something.new'),
      ]),
    )
    expect(titles()).toEqual([
      '登录手机验证码本机',
      '密码错误 3 次',
      '授权登录青屿商城',
      '通过身份验证密码',
      '绑定微信',
      '其他操作',
    ])
    expect(rows()[0]?.querySelector('p')?.textContent).toBe('Chrome 142Windows广东省 深圳市203.0.113.9')
    expect(rows().map((row) => row.querySelector('time')?.textContent)).toEqual([
      '12:00',
      '11:59',
      '12:00',
      '12:00',
      '12:00',
      '12:00',
    ])
  })
  test('D175 names what happened to second factors; what its owner should look at twice is marked', async () => {
    await open(
      history([
        entry('login', { method: 'passkey' }),
        entry('factor.passkeyAdded'),
        entry('factor.totpAdded'),
        entry('factor.codeUsed'),
        entry('factor.failed', { count: 4 }),
        entry('factor.reset'),
      ]),
    )
    expect(rows().map((row) => [row.className.split(' ').at(-1), row.querySelector('b')?.textContent])).toEqual([
      ['plain', '登录通行密钥'],
      ['plain', '添加通行密钥'],
      ['plain', '绑定验证器应用'],
      ['warn', '使用恢复码'],
      ['warn', '第二步验证失败 4 次'],
      ['warn', '管理员重置了登录保护'],
    ])
  })
  test.each([
    [false, '未开启'],
    [true, '已开启'],
  ])('D175 leads to 登录保护 and says whether it is on: %s', async (on, words) => {
    await open({ ...history([]), '/api/user/info': () => ({ ...sampleUser, protected: on }) })
    const row = find('a.row')
    expect([row?.getAttribute('href'), row?.textContent]).toEqual([
      '/user/protection',
      `登录保护在新设备上登录时多验证一步${words}`,
    ])
  })
  test('stands under its day', async () => {
    const yesterday = new Date(today)
    yesterday.setDate(yesterday.getDate() - 1)
    await open(
      history([
        entry('login'),
        entry('check'),
        entry('login', { time: yesterday.getTime() }),
        entry('login', { time: new Date(2020, 10, 12, 9, 17).getTime() }),
      ]),
    )
    const groups = all('section.group').map((group) => [
      group.querySelector('h2')?.textContent,
      group.querySelectorAll('li').length,
    ])
    expect(groups).toEqual([
      [undefined, 0],
      ['今天', 2],
      ['昨天', 1],
      ['2020 年 11 月 12 日', 1],
    ])
  })
  test('marks this browser, those that are out and those that were strangers; only others can be disowned', async () => {
    await open(
      history([
        entry('login', { ...chrome, ...session('s1', { current: true }) }),
        entry('login', { ...chrome, ...session('s2') }),
        entry('login', { ...chrome, ...session('s3', { live: false }) }),
        entry('login', { ...chrome, ...session('s4', { live: false, disowned: true }) }),
        entry('login', chrome),
        entry('login.disowned'),
        entry('check.failed'),
      ]),
    )
    expect(rows().map((row) => row.querySelector('.badge')?.textContent)).toEqual([
      '本机',
      undefined,
      '已下线',
      '非本人',
      undefined,
      undefined,
      undefined,
    ])
    const buttons = rows().map((row) => row.querySelector('button')?.getAttribute('aria-label') ?? null)
    const name = '不是我：Chrome 142 Windows 12:00'
    expect(buttons).toEqual([null, name, name, null, null, null, null])
    expect(rows().map((row) => row.className.split(' ')[1])).toEqual([
      'here',
      'plain',
      'plain',
      'bad',
      'plain',
      'bad',
      'warn',
    ])
  })
  test('pages of 20; more than is counted is said', async () => {
    await open(history(Array.from({ length: 41 }, () => entry('login'))))
    expect([rows().length, find('.pager span')?.textContent]).toEqual([20, '1 / 3'])
    expect(shownText()).not.toContain('仅显示最近')
    await press('下一页')
    await press('下一页')
    expect([rows().length, inputsOf(list).at(-1)]).toEqual([1, { top: 20, skip: 40 }])
    await open(history([entry('login'), entry('login')], true))
    expect(shownText()).toContain('仅显示最近 2 条记录')
  })
  test('a last page that is gone steps back', async () => {
    await open(history(Array.from({ length: 41 }, () => entry('login'))))
    await press('下一页')
    serve(history(Array.from({ length: 25 }, () => entry('login'))))
    await press('下一页')
    expect([rows().length, find('.pager span')?.textContent]).toEqual([5, '2 / 2'])
  })
  test('a page that doesn’t come isn’t shown as the one before', async () => {
    queryClient.clear()
    const answers = history(Array.from({ length: 41 }, () => entry('login')))
    serve(answers)
    await draw(
      <QueryClientProvider client={queryClient}>
        <SecurityPage />
      </QueryClientProvider>,
      '/user/security',
    )
    serve({ '/api/user/info': () => sampleUser })
    await press('下一页')
    expect(shownText()).toContain('网络异常，请稍后再试')
    expect([rows().length, find('.pager span')?.textContent]).toEqual([0, '2 / 3'])
    serve(answers)
    await press('重试')
    expect([rows().length, shownText().includes('网络异常')]).toEqual([20, false])
    await leave()
    queryClient.clear()
  })
  test('waiting, empty and without a network', async () => {
    let answer: (value: unknown) => void = () => undefined
    await open({ ...history([]), [list]: () => new Promise((resolve) => (answer = resolve)) })
    expect(find('[role=status][aria-label="正在加载安全记录"]')).not.toBeNull()
    await act(async () => answer({ count: 0, data: [], more: false }))
    await settle()
    expect(shownText()).toContain('暂无安全记录')
    await open({ '/api/user/info': () => sampleUser })
    expect(shownText()).toContain('网络异常，请稍后再试')
    serve(history([entry('login')]))
    await press('重试')
    expect(rows()).toHaveLength(1)
  })
})

describe('不是我', () => {
  const other = (differently = {}) => history([entry('login', { ...chrome, ...session('s2', differently) })])
  const name = '不是我：Chrome 142 Windows 12:00'
  test('says what will happen, then does it and leads on to the protection', async () => {
    await open(other())
    await press(name)
    expect(find('dialog')?.textContent).toContain('该设备将立即下线，下次登录需要更多验证')
    await press('取消')
    expect([find('dialog'), inputsOf(disown)]).toEqual([null, []])
    await press(name)
    await goOn()
    expect(inputsOf(disown)).toEqual([{ id: 's2' }])
    expect([currentAddress(), find('.toast')?.textContent]).toEqual(['/user/protect', '已下线该设备'])
  })
  test('the number of devices beside the account is asked for anew after it', async () => {
    const devices = '/api/user/token/list'
    serve({ ...other(), [devices]: () => ({ count: inputsOf(disown).length > 0 ? 1 : 2, data: [] }) })
    const page = <Route path="/user/security" element={<SecurityPage />} />
    await draw(
      <>
        <Routes>
          {page}
          <Route path="*" element={null} />
        </Routes>
        <AccountCard user={sampleUser} />
      </>,
      '/user/security',
    )
    expect(shownText()).toContain('2 台')
    await press(name)
    await goOn()
    expect([inputsOf(devices).length, shownText().includes('1 台')]).toEqual([2, true])
  })
  test('of one that is out already it says so', async () => {
    await open(other({ live: false }))
    await press(name)
    expect(find('dialog')?.textContent).toContain('该设备已经下线')
    await goOn()
    expect(find('.toast')?.textContent).toBe('已标记为非本人登录')
  })
  test('a failure is told in the dialog, and it can be tried again', async () => {
    await open({ ...other(), [disown]: failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await press(name)
    await goOn()
    expect([currentAddress(), alertText()]).toEqual(['/user/security', '服务繁忙，请稍后再试'])
    serve(other())
    await goOn()
    expect(currentAddress()).toBe('/user/protect')
    expect(button(name)).toBeUndefined()
  })
})
