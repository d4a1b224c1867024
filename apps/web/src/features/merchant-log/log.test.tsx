// @vitest-environment happy-dom
import type { OperatorEntry } from '@hufu/contract/operators'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  all,
  currentAddress,
  draw,
  field,
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
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import LogPage from './log-page.tsx'

const log = '/api/merchant/log/query'
const feedback = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
const operator = { id: 'aaaaaaaa-0000-4000-8000-000000000000', name: '青屿客服' }
const person = { id: '8c41f0b2-0000-4000-8000-000000000000', name: '林知夏' }

const logged = (action: string, differently: Partial<OperatorEntry> = {}): OperatorEntry => ({
  id: action + JSON.stringify(differently),
  time: Date.now(),
  operator,
  action,
  person: null,
  target: null,
  detail: {},
  ...differently,
})
const loggedActions: [OperatorEntry, string, string][] = [
  [logged('user.disable', { person }), '青屿客服 停用了 林知夏 (8C41F0B2)', ''],
  [
    logged('client.grant', { target: 'erp', detail: { scopes: ['users:read', 'users:write'], added: [] } }),
    '青屿客服 授权了应用',
    'erp：查看用户、停用和启用用户',
  ],
  [
    logged('user.disable', { operator: null, client: { id: 'erp', name: '订单系统' }, person }),
    '应用「订单系统」 停用了 林知夏 (8C41F0B2)',
    '',
  ],
  [
    logged('client.read', {
      operator: null,
      client: { id: 'erp', name: null },
      target: 'GET /x',
      detail: { count: 1234 },
    }),
    '应用「erp」 读取了数据',
    'GET /x，一小时内 1,234 次',
  ],
  [logged('user.read', { person }), '青屿客服 查看了 林知夏 (8C41F0B2) 的资料', ''],
  [
    logged('user.rights', { person, detail: { before: [], after: ['READ', 'ADMIN'] } }),
    '青屿客服 修改了 林知夏 (8C41F0B2) 的后台权限',
    '无权限 → 查看、管理',
  ],
  [
    logged('user.releaseMobile', { person: { ...person, name: null }, detail: { reason: '已停用' } }),
    '青屿客服 移除了 已删除的用户 (8C41F0B2) 的手机号',
    '原因：已停用',
  ],
  [
    logged('user.signOut', { person, detail: { count: 3 } }),
    '青屿客服 将 林知夏 (8C41F0B2) 在所有设备上下线',
    '3 台设备',
  ],
  [
    logged('user.resetFactors', { person, detail: { reason: '手机丢失' } }),
    '青屿客服 重置了 林知夏 (8C41F0B2) 的登录保护',
    '原因：手机丢失',
  ],
  [logged('user.export', { detail: { count: 48_216 } }), '青屿客服 导出了用户', '48,216 位用户'],
  [
    logged('user.export', { detail: { count: 48_216, withHashes: true } }),
    '青屿客服 导出了用户',
    '48,216 位用户，含密码摘要',
  ],
  [
    logged('user.import', { detail: { count: 48_216, refused: 17 } }),
    '青屿客服 导入了用户',
    '48,216 位用户，17 行未导入',
  ],
  [logged('feedback.status', { target: feedback, detail: { status: 1 } }), '青屿客服 处理了反馈 7F3A9C', '处理中'],
  [
    logged('config.save', { target: '18', detail: { changed: ['name', 'sms'] } }),
    '青屿客服 修改了配置',
    '第 18 版 name sms',
  ],
  [
    logged('user.grant', { operator: null, person, detail: { actions: ['READ'] } }),
    '系统 授予了 林知夏 (8C41F0B2) 权限',
    '查看',
  ],
  [logged('something.new', { target: 'x' }), '青屿客服 执行了其他操作', 'x'],
]

const server = (rights = ['READ'], more: Answers = {}): Answers => ({
  '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: rights } }),
  [log]: () => ({ count: 25, more: false, data: loggedActions.map(([entry]) => entry) }),
  ...more,
})
const page = (
  <>
    <Routes>
      <Route path="/merchant/log" element={<SignedIn page={<LogPage />} />} />
      <Route path="*" element={null} />
    </Routes>
    <Toaster />
  </>
)
async function open(answers: Answers, address = '/merchant/log') {
  serve(answers)
  await draw(page, address)
}
/** Longer than typing must rest. */
const rest = async () => {
  await act(async () => new Promise((resolve) => setTimeout(resolve, 400)))
  await settle()
}

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

test('D189 who did what to whom, in words; those who are named can be looked up', async () => {
  await open(server())
  const rows = all('tbody tr').map((row) => [...row.children].map((cell) => cell.textContent))
  expect(rows).toEqual(loggedActions.map(([, words, note]) => [words, note, '刚刚']))
  expect(all('tbody tr:first-child a').map((link) => link.getAttribute('href'))).toEqual([
    `/merchant/users/${operator.id}`,
    `/merchant/users/${person.id}`,
  ])
  expect(find(`a[href="/merchant/feedback/${feedback}"]`)).not.toBeNull()
})
test('nothing can be selected, pages can be turned', async () => {
  await open(server())
  expect([find('input[type=checkbox]'), shownText().includes('已选择')]).toEqual([null, false])
  await press('下一页')
  expect([inputsOf(log).at(-1), currentAddress()]).toEqual([{ top: 10, skip: 10 }, '/merchant/log?page=2'])
})
test('filters by operator, person, kind and days stand in the address and are asked of the server', async () => {
  await open(server(), `/merchant/log?person=${person.id}&page=2`)
  expect(inputsOf(log)).toEqual([{ person: person.id, top: 10, skip: 10 }])
  await type('操作人编号', 'AAAAAAA')
  await rest()
  expect([inputsOf(log).length, field('操作人编号').getAttribute('aria-invalid')]).toEqual([1, 'true'])
  await type('操作人编号', 'AAAAAAAA')
  await rest()
  await type('操作类型', 'user.disable')
  await type('时间起', '2026-11-01')
  expect(inputsOf(log).at(-1)).toEqual({
    operator: 'AAAAAAAA',
    person: person.id,
    action: 'user.disable',
    from: new Date(2026, 10, 1).getTime(),
    top: 10,
    skip: 0,
  })
  await type('用户编号', '')
  await rest()
  expect(currentAddress()).toBe('/merchant/log?operator=AAAAAAAA&action=user.disable&from=2026-11-01')
}, 30_000)
test('D065 without READ 无权限访问; a failure is told and can be tried again', async () => {
  await open(server([]))
  expect([find('h1')?.textContent, inputsOf(log)]).toEqual(['无权限访问', []])
  const failing = () => {
    throw new Refusal('INPUT_INVALID', '输入的内容有误')
  }
  await open(server(['READ'], { [log]: failing }))
  expect([find('.toast')?.textContent, find('.table .empty p')?.textContent]).toEqual(Array(2).fill('输入的内容有误'))
})
