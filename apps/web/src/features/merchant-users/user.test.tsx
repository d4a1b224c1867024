// @vitest-environment happy-dom
import type { Person } from '@hufu/contract/merchant-users'
import type { SecurityEntry } from '@hufu/contract/security'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
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
  type,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import { tickRight } from './rights-dialog.tsx'
import UserPage from './user-page.tsx'

const id = 'f05b2c78-1111-4222-8333-944455556666'
const calls = {
  read: '/api/merchant/user/read',
  devices: '/api/merchant/user/devices',
  security: '/api/merchant/user/securityLog',
  feedback: '/api/merchant/feedback/query',
  status: '/api/merchant/user/status',
  signOut: '/api/merchant/user/signOut',
  release: '/api/merchant/user/releaseMobile',
  cancelRecovery: '/api/merchant/user/cancelRecovery',
  rights: '/api/merchant/user/rights',
  reset: '/api/merchant/user/resetFactors',
}

const sample: Person = {
  id,
  status: 'active',
  nickname: '沈清和',
  wechatNickname: null,
  avatar: null,
  mobilePrefix: '86',
  mobile: '15912348830',
  email: 'qinghe@example.com',
  username: null,
  password: true,
  wechat: false,
  since: new Date(2024, 4, 3).getTime(),
  lastAccess: Date.now(),
  permission: {},
  releasable: true,
  recovery: null,
  closing: null,
  factors: { passkeys: 0, totp: false, recovery: 0 },
}
const entry = (event: string, differently: Partial<SecurityEntry> = {}): SecurityEntry => ({
  id: event,
  time: Date.now(),
  event,
  ip: '203.0.113.7',
  region: '广东省',
  method: null,
  browser: null,
  os: null,
  count: null,
  ...differently,
})
const device = {
  id: 'd',
  browser: 'Chrome 140',
  device: '电脑',
  os: 'Windows 11',
  ip: '203.0.113.7',
  region: '广东省',
  time: 0,
}

function server(differently: Partial<Person> = {}, rights = ['READ', 'ADMIN'], more: Answers = {}): Answers {
  return {
    '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: rights } }),
    [calls.read]: () => ({ ...sample, ...differently }),
    [calls.devices]: () => ({ count: 1, data: [{ ...device, lastAccess: Date.now() }] }),
    [calls.security]: () => ({ count: 0, more: false, data: [] }),
    [calls.feedback]: () => ({ count: 0, data: [] }),
    [calls.status]: () => null,
    [calls.signOut]: () => ({ ended: 2 }),
    [calls.release]: () => null,
    [calls.cancelRecovery]: () => null,
    [calls.rights]: () => null,
    ...more,
  }
}

const page = (
  <>
    <Routes>
      <Route path="/merchant/users/:id" element={<SignedIn page={<UserPage />} />} />
      <Route path="*" element={null} />
    </Routes>
    <Toaster />
  </>
)
async function open(answers: Answers, address = `/merchant/users/${id}`) {
  serve(answers)
  await draw(page, address)
}
const toast = () => find('.toast')?.textContent
async function goOn() {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}
const values = () => all('.row .value').map((value) => value.textContent)
const texts = (selector: string) => all(selector).map((each) => each.textContent)

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('a person’s page', () => {
  test('D066 who it is, and all ways to sign in, the number whole', async () => {
    await open(server())
    expect(inputsOf(calls.read)).toEqual([{ id }])
    expect(find('.person-who')?.textContent).toContain('沈清和正常编号F05B2C78注册时间2024 年 5 月 3 日最近访问刚刚')
    expect(values()).toEqual([
      '+86 159 1234 8830',
      'qinghe@example.com',
      '未设置',
      '已设置',
      '未绑定',
      '未设置',
      '未绑定',
      '没有',
    ])
  })
  test('D188 the second factors: how many, never which', async () => {
    await open(server({ factors: { passkeys: 2, totp: true, recovery: 8 } }))
    expect([values().slice(-3), shownText().includes('登录保护（已开启）')]).toEqual([
      ['2 个', '已绑定', '剩余 8 个'],
      true,
    ])
    await open(server())
    expect([values().slice(-3), shownText().includes('登录保护（未开启）')]).toEqual([
      ['未设置', '未绑定', '没有'],
      true,
    ])
  })
  test('the devices, and what happened to the account in words', async () => {
    const data = [
      entry('login', { method: 'password', browser: 'Chrome 140', os: 'Windows 11' }),
      entry('login.failed', { count: 12 }),
      entry('email.change'),
      entry('something.new'),
    ]
    await open(server({}, ['READ'], { [calls.security]: () => ({ count: 34, more: false, data }) }))
    expect(texts('.person-list li')).toEqual(['Chrome 140 Windows 11广东省 203.0.113.7刚刚'])
    expect(texts('tbody td:first-child')).toEqual(['登录 （密码）', '密码错误 12 次', '修改电子邮箱', '其他操作'])
    expect(find('tbody tr')?.textContent).toContain('Chrome 140 Windows 11广东省 203.0.113.7刚刚')
    await press('第 2 页')
    expect(inputsOf(calls.security)).toEqual([
      { id, top: 10, skip: 0 },
      { id, top: 10, skip: 10 },
    ])
  })
  test('their feedback leads to its conversation', async () => {
    const content = JSON.stringify([{ role: 'user', message: '收不到通知', time: 0, seq: 1 }])
    const item = { id: '7f3a9c41-0000-4000-8000-000000000000', status: 0, time: Date.now(), content }
    await open(server({}, ['READ'], { [calls.feedback]: () => ({ count: 1, data: [item] }) }))
    expect(inputsOf(calls.feedback)).toEqual([{ userId: id, brief: true }])
    const link = find('.person-feedback a')
    expect([link?.textContent, link?.getAttribute('href')]).toEqual([
      '待处理刚刚收不到通知',
      `/merchant/feedback/${item.id}`,
    ])
  })
  test.each(['NOT_FOUND', 'INPUT_INVALID'])('no user has that id: %s', async (code) => {
    await open(server({}, ['READ'], { [calls.read]: failing(code, '您访问的内容不存在') }))
    expect(shownText()).toContain('该用户不存在')
    expect(
      all('a')
        .find((link) => link.textContent === '返回用户列表')
        ?.getAttribute('href'),
    ).toBe('/merchant/users')
    expect(toast()).toBeUndefined()
  })
  test('S414 trouble is told, and it can be tried again', async () => {
    await open(server({}, ['READ'], { [calls.read]: failing('FORBIDDEN', '没有权限执行此操作') }))
    expect([toast(), find('.empty p')?.textContent]).toEqual(Array(2).fill('没有权限执行此操作'))
    serve(server())
    await press('重试')
    expect(find('.person-who h2')?.textContent).toBe('沈清和正常')
  })
  test('D065 without ADMIN nothing can be changed, without READ nothing seen', async () => {
    await open(server({}, ['READ', 'WRITE']))
    for (const words of ['停用账号', '退出所有设备', '移除失效手机号', '全部下线', '修改权限']) {
      expect([words, button(words)?.getAttribute('aria-disabled'), button(words)?.title]).toEqual([
        words,
        'true',
        '没有权限执行此操作',
      ])
      await press(words)
      expect(find('dialog')).toBeNull()
    }
    await open(server({}, []))
    expect([find('h1')?.textContent, inputsOf(calls.read)]).toEqual(['无权限访问', []])
  })
})

describe('changes ask first', () => {
  test('停用账号, and 启用账号 afterwards', async () => {
    await open(server())
    await press('停用账号')
    expect(find('dialog')?.textContent).toContain('沈清和将立即在所有设备上退出，停用期间不能登录。')
    await press('取消')
    expect(inputsOf(calls.status)).toEqual([])
    await press('停用账号')
    await goOn()
    expect([inputsOf(calls.status), toast()]).toEqual([[{ id, status: 'disabled' }], '修改成功'])
    expect(find('.person-who h2')?.textContent).toBe('沈清和已停用')
    expect([inputsOf(calls.read).length, inputsOf(calls.devices).length]).toEqual([1, 2])
    await press('启用账号')
    await goOn()
    expect([inputsOf(calls.status).at(-1), button('停用账号') !== undefined]).toEqual([{ id, status: 'active' }, true])
  })
  test('the devices and the security log show what a change did to them', async () => {
    let changed = false
    const more: Answers = {
      [calls.signOut]: () => {
        changed = true
        return { ended: 1 }
      },
      [calls.devices]: () => (changed ? { count: 0, data: [] } : { count: 1, data: [{ ...device, lastAccess: 0 }] }),
      [calls.security]: () => ({ count: 1, more: false, data: [entry(changed ? 'account.signOut' : 'login')] }),
    }
    await open(server({}, ['READ', 'ADMIN'], more))
    const before = texts('tbody td:first-child')
    await press('退出所有设备')
    await goOn()
    expect([before, texts('tbody td:first-child'), texts('.person-list li')]).toEqual([
      ['登录'],
      ['客服将设备全部下线'],
      [],
    ])
  })
  test('a refusal stays in the dialog', async () => {
    await open(server({}, ['READ', 'ADMIN'], { [calls.status]: failing('LAST_ADMIN', '至少要保留一位管理员') }))
    await press('停用账号')
    await goOn()
    expect([find('dialog') !== null, alertText()]).toEqual([true, '至少要保留一位管理员'])
  })
  test.each(['退出所有设备', '全部下线'])('%s', async (words) => {
    await open(server())
    await press(words)
    expect(inputsOf(calls.signOut)).toEqual([])
    await goOn()
    expect([inputsOf(calls.signOut), toast()]).toEqual([[{ id }], '已下线 2 台设备'])
  })
  test('移除失效手机号 wants a reason, and names the number that was seen', async () => {
    await open(server())
    await press('移除失效手机号')
    expect(find('dialog')?.textContent).toContain('+86 159 1234 8830 将不再属于该账号')
    expect(button('移除')?.disabled).toBe(true)
    await type('原因', ' 号码已停用 ')
    await act(async () => find('dialog form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
    await settle()
    expect(inputsOf(calls.release)).toEqual([{ id, reason: '号码已停用', mobile: '15912348830' }])
    expect([toast(), values()[0]]).toEqual(['修改成功', '未设置'])
  })
  test('取消更换 wants a reason; with the number goes its recovery', async () => {
    await open(server({ recovery: Date.now() + 3 * 86_400_000 }))
    expect(shownText()).toMatch(/正在更换停用的手机号，\d+ 月 \d+ 日 \d\d:\d\d 之后可设置新手机号/)
    await press('取消更换')
    expect(find('dialog')?.textContent).toContain('沈清和 的手机号将保持不变')
    expect(find<HTMLButtonElement>('dialog .danger-main')?.disabled).toBe(true)
    await type('原因', ' 并非本人申请 ')
    await act(async () => find('dialog form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
    await settle()
    expect(inputsOf(calls.cancelRecovery)).toEqual([{ id, reason: '并非本人申请' }])
    expect([toast(), shownText().includes('正在更换停用的手机号')]).toEqual(['修改成功', false])
  })
  test('a recovery that ended meanwhile counts as cancelled, and the person is looked at again', async () => {
    const over = failing('RECOVERY_NONE', '没有进行中的更换手机号申请')
    let person: Partial<Person> = { recovery: Date.now() + 3 * 86_400_000 }
    const more = { [calls.read]: () => ({ ...sample, ...person }), [calls.cancelRecovery]: over }
    await open(server({}, ['READ', 'ADMIN'], more))
    await press('取消更换')
    await type('原因', '并非本人申请')
    person = { recovery: null, mobile: '15912340000' }
    await goOn()
    expect([find('dialog'), toast()]).toEqual([null, '该申请已经结束，现在显示的是最新资料'])
    expect([inputsOf(calls.read).length, values()[0]]).toEqual([2, '+86 159 1234 0000'])
  })
  test('a recovery that can be finished says so; without ADMIN it can only be seen', async () => {
    await open(server({ recovery: Date.now() - 1000 }, ['READ', 'WRITE']))
    expect(shownText()).toContain('正在更换停用的手机号，等待期已结束')
    expect(button('取消更换')?.title).toBe('没有权限执行此操作')
    await press('取消更换')
    expect(find('dialog')).toBeNull()
  })
  test('an account that will be erased says when', async () => {
    await open(server({ closing: new Date(2031, 2, 4, 9, 30).getTime() }))
    expect(find('.notice.warn')?.textContent).toBe('账号将于 2031 年 3 月 4 日 09:30 注销')
  })
  test.each([
    [{ releasable: false }, '手机号是该账号唯一的登录方式，不能移除'],
    [{ mobile: null, mobilePrefix: null, releasable: false }, '该账号没有绑定手机号'],
    [{ id: sampleUser.id }, '不能对自己的账号执行此操作'],
  ])('a number that stays says why: %j', async (differently, why) => {
    await open(server(differently))
    expect([button('移除失效手机号')?.getAttribute('aria-disabled'), button('移除失效手机号')?.title]).toEqual([
      'true',
      why,
    ])
  })
  test('rights are granted with what they mean; READ comes with the others', async () => {
    await open(server())
    expect(shownText()).toContain('没有后台权限')
    await press('修改权限')
    for (const words of ['查看', '回复与推送', '管理']) expect(find('dialog')?.textContent).toContain(words)
    const ticks = () => all('dialog input') as HTMLInputElement[]
    await act(async () => ticks()[1]?.click())
    expect(ticks().map(({ checked }) => checked)).toEqual([true, true, false])
    await act(async () => find('dialog form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
    await settle()
    expect([inputsOf(calls.rights), toast()]).toEqual([[{ id, actions: ['READ', 'WRITE'] }], '修改成功'])
    expect(texts('.person-rights b')).toEqual(['查看', '回复与推送'])
  })
  test('ticking a right', () => {
    expect(tickRight([], 'ADMIN', true)).toEqual(['READ', 'ADMIN'])
    expect(tickRight(['READ', 'ADMIN'], 'WRITE', true)).toEqual(['READ', 'WRITE', 'ADMIN'])
    expect(tickRight(['READ', 'WRITE', 'ADMIN'], 'ADMIN', false)).toEqual(['READ', 'WRITE'])
    expect(tickRight(['READ', 'WRITE'], 'READ', false)).toEqual([])
  })
  test('a check that is owed is made first', async () => {
    await open(server({}, ['READ', 'ADMIN'], { [calls.rights]: failing('TWO_FACTOR_REQUIRED', '') }))
    await press('修改权限')
    await act(async () => find('dialog form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
    await settle()
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
  })
})

describe('a reset of second factors', () => {
  const operator = { permission: { MERCHANT: ['READ'] }, factors: { passkeys: 1, totp: false, recovery: 4 } }
  const enrolment = { enrolment: 'W6RA-3JPE-KC5H', expires: Date.now() + 900_000 }
  test('D188 needs a reason, and shows the code once with whom to give it to', async () => {
    await open(server(operator, ['READ', 'ADMIN'], { [calls.reset]: () => enrolment }))
    await press('重置登录保护')
    expect(find('dialog')?.textContent).toContain('本人和所有管理员都会收到通知')
    expect(button('重置')?.disabled).toBe(true)
    await type('原因', ' 手机丢失 ')
    await press('重置')
    expect(inputsOf(calls.reset)).toEqual([{ id, reason: '手机丢失' }])
    expect(find('dialog code')?.textContent).toBe('W6RA-3JPE-KC5H')
    expect(find('dialog')?.textContent).toContain('把重置码告诉 沈清和 本人')
    expect(find('dialog')?.textContent).toContain('前有效（15 分钟）')
    await press('已转告本人')
    expect([find('dialog'), shownText().includes('W6RA'), values().slice(-3)]).toEqual([
      null,
      false,
      ['未设置', '未绑定', '没有'],
    ])
  })
  test('D188 is for other operators alone, by an ADMIN', async () => {
    const refused = () => [button('重置登录保护')?.getAttribute('aria-disabled'), button('重置登录保护')?.title]
    await open(server({ factors: operator.factors }))
    expect(button('重置登录保护')).toBeUndefined()
    await open(server(operator, ['READ']))
    expect(refused()).toEqual(['true', '没有权限执行此操作'])
    await open(server({ ...operator, id: sampleUser.id }))
    expect(refused()).toEqual(['true', '不能对自己的账号执行此操作'])
    await open(server({ ...operator, factors: sample.factors }))
    expect([refused()[0], shownText().includes('可重置以获取新的重置码')]).toEqual([null, true])
  })
})
