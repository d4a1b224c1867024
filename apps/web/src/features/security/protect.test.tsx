// @vitest-environment happy-dom
import { act } from 'react'
import { Link, Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import { type Answers, all, button, draw, find, inputsOf, leave, press, serve, settle } from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
// Known before the page asks for them.
import '../privacy/closing-banner.tsx'
import '../recovery/recovery-banner.tsx'
import ProtectPage from './protect-page.tsx'

/** Newest first. */
const history = (...events: string[]): Answers => ({
  '/api/user/security/list': () => ({
    count: events.length,
    more: false,
    data: events.map((event, index) => ({ id: `e${index}`, event, time: Date.now() - index * 60_000 })),
  }),
})
const account = (differently = {}, devices = 3): Answers => {
  let count = devices
  return {
    ...history('login', 'password.change'),
    '/api/user/info': () => ({ ...sampleUser, email: 'zhixia@example.com', ...differently }),
    '/api/user/token/list': () => ({ count, data: [] }),
    '/api/user/token/removeAll': () => {
      const removed = count - 1
      count = 1
      return { removed }
    },
  }
}

async function open(answers: Answers) {
  serve(answers)
  await draw(
    <Routes>
      <Route path="/user/protect" element={<ProtectPage />} />
      <Route path="*" element={<Link to="/user/protect">back</Link>} />
    </Routes>,
    '/user/protect',
  )
}
async function follow(selector: string) {
  await act(async () => find(selector)?.click())
  await settle()
}
const done = () => all('.protect-step').map((step) => step.querySelector('.done') !== null)
const rows = () => all('.protect-step .row').map((row) => [row.getAttribute('href'), row.textContent])

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})

test('three steps: the password, the contacts masked with where they are changed, the other devices', async () => {
  await open(account())
  expect(rows()).toEqual([
    [null, '登录密码已设置'],
    ['/user/changeMobile', '手机号138****5678更换'],
    ['/user/changeEmail', '电子邮箱zh****@example.com更换'],
    ['/user/onlineDevices', '其他设备2 台查看'],
  ])
  expect(find('a[href="/user/changePassword"]')?.textContent).toBe('修改密码')
  expect(done()).toEqual([false, false, false])
})

test('what is missing is offered; WeChat stands there where the site has it', async () => {
  acceptMeta({ ...sampleMeta, wechatEnabled: true })
  await open(account({ password: false, mobile: null, mobilePrefix: null, email: null }))
  expect(rows().slice(0, 4)).toEqual([
    [null, '登录密码未设置'],
    ['/user/changeMobile', '手机号未设置设置'],
    ['/user/changeEmail', '电子邮箱未设置设置'],
    ['/user/wechat', '微信未绑定绑定'],
  ])
  expect(find('a[href="/user/changePassword"]')?.textContent).toBe('设置密码')
  await leave()
  acceptMeta(sampleMeta)
  await open(account({ wechatOpenId: 'o' }))
  expect(rows()[3]).toEqual(['/user/wechat', '微信夏天的风更换'])
})

test('a password that is changed is ticked, and still is when the page is opened anew', async () => {
  await open({ ...account(), ...history('login.disowned', 'login', 'password.change') })
  await follow('a[href="/user/changePassword"]')
  await follow('a')
  expect(done()).toEqual([false, false, false])
  await follow('a[href="/user/changePassword"]')
  const changed = { ...account({}, 1), ...history('password.change', 'check', 'login.disowned', 'login') }
  serve(changed)
  await follow('a')
  for (let times = 0; times < 2; times++) {
    expect(done()).toEqual([true, false, true])
    expect(find('.notice.good')?.textContent).toBe('密码已修改，其他设备均已退出登录')
    expect(find('a[href="/user/changePassword"]')).toBeNull()
    expect(inputsOf('/api/user/security/list')).toHaveLength(1)
    await open(changed)
  }
})

test.each([
  [['password.change', 'recovery.start'], true],
  [['login', 'password.change', 'recovery.start', 'login.disowned'], true],
  [['recovery.start', 'password.change', 'login.disowned'], false],
  [['login.disowned', 'password.change', 'recovery.start'], false],
  [['password.change', 'login'], false],
  [['login.disowned'], false],
  [[], false],
])('after %j, newest first, the password is done: %s', async (events, expected) => {
  await open({ ...account(), ...history(...events) })
  expect(done()[0]).toBe(expected)
})

test('what threatens the account shows here too, with the way to stop it', async () => {
  await open(account())
  expect([button('撤销注销'), find('.recovery-banner')]).toEqual([undefined, null])
  await open(account({ closing: Date.now() + 3 * 86_400_000, recovery: Date.now() + 86_400_000 }))
  await settle()
  expect(button('撤销注销')).toBeDefined()
  expect(find('.recovery-banner button')).not.toBeNull()
})

test('全部下线 asks first, then no other device is left', async () => {
  await open(account())
  await press('全部下线')
  expect(inputsOf('/api/user/token/removeAll')).toEqual([])
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
  expect(inputsOf('/api/user/token/removeAll')).toHaveLength(1)
  expect(rows().at(-1)?.[1]).toBe('其他设备没有查看')
  expect([done(), button('全部下线')]).toEqual([[false, false, true], undefined])
})
