// @vitest-environment happy-dom

import type { MadeFile } from '@hufu/contract/fields'
import type { UserRow } from '@hufu/contract/merchant-users'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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
import UsersPage from './users-page.tsx'

const list = '/api/merchant/user/query'
const status = '/api/merchant/user/status'
const exporting = '/api/merchant/user/export'
const made = '/api/merchant/user/exports'

const idOf = (at: number) => `${String(at).padStart(8, 'a')}-0000-4000-8000-000000000000`
const person = (at: number): UserRow => ({
  id: idOf(at),
  status: 'active',
  mobilePrefix: '86',
  mobile: '138****5678',
  nickname: `用户${at}`,
  username: at === 1 ? null : `name${at}`,
  email: at === 1 ? null : `n${at}@example.com`,
  lastAccess: at === 1 ? null : Date.now(),
  since: 0,
  operator: false,
  protected: false,
})

const everything = ['READ', 'WRITE', 'ADMIN']
const asOperator = (rights: string[]) => ({
  '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: rights } }),
})

let people: UserRow[] = []
/** A server with so many users. */
function server(count: number, rights = everything, more: Answers = {}): Answers {
  people = Array.from({ length: count }, (_, at) => person(at + 1))
  return {
    ...asOperator(rights),
    [list]: ({ top, skip }) => ({
      count: people.length,
      more: false,
      data: people.slice(Number(skip), Number(skip) + Number(top)),
    }),
    [status]: ({ id, status: wanted }) => {
      people = people.map((each) => (each.id === id ? { ...each, status: wanted as UserRow['status'] } : each))
      return null
    },
    [made]: () => ({ count: 0, data: [] }),
    ...more,
  }
}

const page = (
  <>
    <Routes>
      <Route path="/merchant/users" element={<SignedIn page={<UsersPage />} />} />
      <Route path="*" element={null} />
    </Routes>
    <Toaster />
  </>
)
async function open(answers: Answers, address = '/merchant/users') {
  serve(answers)
  await draw(page, address)
}
const rows = () => all('tbody tr').map((row) => row.querySelector('a')?.textContent)
const heads = () => all('th').map((each) => each.textContent)
const actions = () => all('.table-acts button').map((each) => each.textContent)
const boxes = () => all('tbody input, .table-cards input') as HTMLInputElement[]
const headBox = () => find<HTMLInputElement>('[aria-label="全选本页"]')
const counted = () => [find('.table-count')?.textContent, find('footer [role=status]')?.textContent]
const toast = () => find('.toast')?.textContent
async function click(element: Element | null | undefined, how: MouseEventInit = {}) {
  await act(async () => element?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...how })))
  await settle()
}
const pick = (...ats: number[]) =>
  ats.reduce<Promise<unknown>>(
    (before, at) => before.then(() => act(async () => boxes()[at]?.click())),
    Promise.resolve(),
  )
/** Longer than typing must rest. */
async function rest() {
  await act(async () => new Promise((resolve) => setTimeout(resolve, 400)))
  await settle()
}
/** Waits until something is shown that comes by itself. */
async function until(shown: () => boolean) {
  for (let waited = 0; waited < 10_000 && !shown(); waited += 100)
    await act(async () => new Promise((resolve) => setTimeout(resolve, 100)))
}
/** Presses the button of the dialog that goes on. */
async function goOn() {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}

afterEach(leave)
beforeEach(() => {
  vi.useRealTimers()
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('the page', () => {
  test('S063 S158 S159 S431 用户管理 is a paged table with these columns, the id short and upper-cased', async () => {
    await open(server(12))
    expect(find('h1')?.textContent).toBe('用户管理')
    expect(heads().slice(1)).toEqual(['短 ID', '手机号', '昵称', '用户名', '电子邮箱', '最近访问'])
    const cells = [...(all('tbody tr')[1]?.children ?? [])].map((cell) => cell.textContent)
    expect(cells.slice(1)).toEqual(['AAAAAAA2', '138****5678', '用户2', 'name2', 'n2@example.com', '刚刚'])
    expect([...(all('tbody tr')[0]?.children ?? [])].at(-1)?.textContent).toBe('暂无')
  })
  test.each([
    [767, []],
    [768, ['短 ID', '用户名', '电子邮箱']],
  ])('S160 S161 S162 at width %i the columns id, username and e-mail are %j', async (width, shown) => {
    useDevice.setState({ width })
    await open(server(3))
    expect(heads().filter((head) => ['短 ID', '用户名', '电子邮箱'].includes(head ?? ''))).toEqual(shown)
    for (const hidden of ['AAAAAAA2', 'name2', 'n2@example.com'])
      expect(shownText().includes(hidden)).toBe(width >= 768)
    for (const words of ['用户2', '138****5678', '刚刚']) expect(shownText()).toContain(words)
    expect(all('.table-cards li')).toHaveLength(width < 768 ? 3 : 0)
  })
  test('S342 a visitor is asked to sign in first; who may not read sees 无权限访问', async () => {
    await open({ '/api/user/info': failing('NOT_LOGGED_IN', '') })
    expect(shownText()).toContain('请先登录')
    expect(find('main a')?.getAttribute('href')).toBe('/login/%2Fmerchant%2Fusers')
    await open({ '/api/user/info': () => sampleUser })
    expect([find('h1')?.textContent, inputsOf(list)]).toEqual(['无权限访问', []])
  })
  test('a disabled user and an operator are marked', async () => {
    const marked = [{ ...person(1), status: 'disabled' as const, operator: true, protected: true }, person(2)]
    await open(server(0, everything, { [list]: () => ({ count: 2, more: false, data: marked }) }))
    expect(all('tbody tr').map((row) => [...row.querySelectorAll('.badge')].map((badge) => badge.textContent))).toEqual(
      [['已停用', '管理'], []],
    )
  })
  test('D189 an operator without a second factor is marked, and a filter finds them', async () => {
    const data = [
      { ...person(1), operator: true },
      { ...person(2), operator: true, protected: true },
    ]
    await open(server(0, everything, { [list]: () => ({ count: 2, more: false, data }) }))
    expect(all('tbody tr').map((row) => row.querySelector('.badge.warn')?.textContent)).toEqual([
      '未开启保护',
      undefined,
    ])
    await act(async () => all('.seg input')[3]?.click())
    await settle()
    expect([currentAddress(), inputsOf(list).at(-1)]).toEqual([
      '/merchant/users?only=unprotectedOperators',
      { only: 'unprotectedOperators', top: 10, skip: 0 },
    ])
  })
  test('S414 a server error is told for 5 s, and the table can be asked again', async () => {
    await open(server(3, everything, { [list]: failing('INPUT_INVALID', '输入的内容有误，请检查后重试') }))
    expect([toast(), find('.table .empty p')?.textContent]).toEqual(Array(2).fill('输入的内容有误，请检查后重试'))
    const begun = Date.now()
    await until(() => toast() === undefined)
    expect(Date.now() - begun).toBeGreaterThan(4_500)
    expect(toast()).toBeUndefined()
    serve(server(3))
    await press('重试')
    expect(rows()).toHaveLength(3)
  }, 30_000)
  test('D172 while the second factor is asked for over the page, the table waits and reports no error', async () => {
    const refuse = () => {
      throw new Refusal('TWO_FACTOR_REQUIRED', '当前操作需要先验证您的身份', { factor: true }, 403)
    }
    await open(server(3, everything, { [list]: refuse }))
    expect(inputsOf(list)).not.toEqual([])
    expect([toast(), find('.table .empty p')]).toEqual([undefined, null])
  })
})

describe('the table', () => {
  test('S176 title and count; with more than were counted a plus', async () => {
    await open(server(3))
    expect([find('.table h2')?.textContent, find('.table-count')?.textContent]).toEqual(['用户管理', '共 3 位'])
    await open(server(0, everything, { [list]: () => ({ count: 48_216, more: false, data: [person(1)] }) }))
    expect(find('.table-count')?.textContent).toBe('共 48,216 位')
    await open(server(0, everything, { [list]: () => ({ count: 1_000, more: true, data: [person(1)] }) }))
    expect(find('.table-count')?.textContent).toBe('共 1,000+ 位')
  })
  test('S177 D067 刷新 is the last action, always there, and loads the rows again', async () => {
    await open(server(3))
    expect(actions().at(-1)).toBe('刷新')
    people = people.slice(1)
    await press('刷新')
    expect([rows(), inputsOf(list).length]).toEqual([['用户2', '用户3'], 2])
    await pick(0, 1)
    expect(actions().at(-1)).toBe('刷新')
  })
  test('S178 S182 S183 S184 S185 actions by what is selected', async () => {
    await open(server(3))
    expect(actions()).toEqual(['导出', '刷新'])
    await pick(0)
    expect(actions()).toEqual(['查看', '推送消息', '启用', '停用', '导出', '刷新'])
    await pick(1)
    expect(actions()).toEqual(['启用', '停用', '导出', '刷新'])
    await pick(0, 1)
    expect(actions()).toEqual(['导出', '刷新'])
  })
  test('S179 S180 the selection column: a row, several, all, and the head box that shows it', async () => {
    await open(server(3))
    const head = () => [headBox()?.checked, headBox()?.indeterminate]
    expect([counted(), head()]).toEqual([
      ['共 3 位', '已选择 0 项'],
      [false, false],
    ])
    await pick(1)
    expect([counted()[1], head(), boxes().map(({ checked }) => checked)]).toEqual([
      '已选择 1 项',
      [false, true],
      [false, true, false],
    ])
    await act(async () => headBox()?.click())
    expect([counted()[1], head()]).toEqual(['已选择 3 项', [true, false]])
    await act(async () => headBox()?.click())
    expect([counted()[1], head()]).toEqual(['已选择 0 项', [false, false]])
    expect(boxes()[0]?.getAttribute('aria-label')).toBe('选择 用户1')
  })
  test.each([1280, 390])(
    'at width %i a click anywhere on a row selects it, but for what acts by itself',
    async (width) => {
      useDevice.setState({ width })
      await open(server(3))
      const first = () => find(width < 768 ? '.table-cards li' : 'tbody tr')
      await click(first())
      expect(counted()[1]).toBe('已选择 1 项')
      await click(first()?.querySelector(width < 768 ? '.card-end' : 'td:last-child'))
      expect(counted()[1]).toBe('已选择 0 项')
      await click(first(), { detail: 2 })
      expect(counted()[1]).toBe('已选择 0 项')
      await click(first()?.querySelector('a'))
      expect(currentAddress()).toBe(`/merchant/users/${idOf(1)}`)
    },
  )
  test('a double click opens the person', async () => {
    await open(server(3))
    await act(async () => all('tbody tr')[1]?.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })))
    expect(currentAddress()).toBe(`/merchant/users/${idOf(2)}`)
  })
  test('S181 S432 S433 S434 D013 ten rows a page from the first on, asked for with top and skip', async () => {
    await open(server(25))
    expect([inputsOf(list), rows().length]).toEqual([[{ top: 10, skip: 0 }], 10])
    await press('下一页')
    expect([inputsOf(list).at(-1), rows()[0], currentAddress()]).toEqual([
      { top: 10, skip: 10 },
      '用户11',
      '/merchant/users?page=2',
    ])
    await press('第 3 页')
    expect([rows().length, button('下一页')?.disabled]).toEqual([5, true])
    await press('上一页')
    await press('上一页')
    expect([currentAddress(), button('上一页')?.disabled]).toEqual(['/merchant/users', true])
  })
  test('any page can be jumped to; beyond the last it is the last', async () => {
    await open(server(75))
    await type('跳转到页码，共 8 页', '7')
    await act(async () =>
      find('.table-pager form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
    )
    await settle()
    expect([currentAddress(), rows()[0]]).toEqual(['/merchant/users?page=7', '用户61'])
    await type('跳转到页码，共 8 页', '900')
    await act(async () => field('跳转到页码，共 8 页').blur())
    await settle()
    expect(currentAddress()).toBe('/merchant/users?page=8')
    await leave()
    useDevice.setState({ width: 390 })
    await open(server(75))
    expect(field('跳转到页码，共 8 页').value).toBe('1')
  })
  test('D067 paging clears the selection, a refresh keeps it', async () => {
    await open(server(12))
    await pick(0)
    await press('刷新')
    expect(counted()[1]).toBe('已选择 1 项')
    await press('下一页')
    expect(counted()[1]).toBe('已选择 0 项')
    await press('上一页')
    expect(counted()[1]).toBe('已选择 0 项')
  })
  test('a page whose rows are gone steps back to the last', async () => {
    await open(server(12), '/merchant/users?page=9')
    expect([currentAddress(), rows()]).toEqual(['/merchant/users?page=2', ['用户11', '用户12']])
    await open(server(0), '/merchant/users?page=2')
    expect([currentAddress(), shownText().includes('没有找到用户')]).toEqual(['/merchant/users', true])
  })
  test('the former rows stay, dimmed, until the next are there; at first the shape of ten', async () => {
    let answer: (value: unknown) => void = () => undefined
    const slow = { [list]: () => new Promise((resolve) => (answer = resolve)) }
    await open(server(12, everything, slow))
    expect([find('table')?.getAttribute('aria-busy'), all('tbody tr').length, all('tbody .bone').length]).toEqual([
      'true',
      10,
      60,
    ])
    await act(async () => answer({ count: 12, more: false, data: people.slice(0, 10) }))
    await settle()
    await press('下一页')
    expect([find('table')?.className, rows()[0]]).toEqual(['old', '用户1'])
    await act(async () => answer({ count: 12, more: false, data: people.slice(10) }))
    await settle()
    expect([find('table')?.className, rows()]).toEqual(['', ['用户11', '用户12']])
  })
})

describe('search and filters', () => {
  test('a search waits for the typing to rest, starts on the first page and clears the filters', async () => {
    await open(server(30), '/merchant/users?page=2&only=disabled&from=2026-11-01')
    const search = '搜索手机号、邮箱、用户名、昵称或编号'
    await type(search, '林')
    await type(search, '林知夏 ')
    expect(inputsOf(list)).toHaveLength(1)
    await rest()
    expect(inputsOf(list).at(-1)).toEqual({ search: '林知夏', top: 10, skip: 0 })
    expect([decodeURIComponent(currentAddress()), field(search).value]).toEqual([
      '/merchant/users?search=林知夏',
      '林知夏 ',
    ])
  })
  test('a filter clears the search; days are meant from begin to end', async () => {
    await open(server(3), '/merchant/users?search=abc')
    expect([inputsOf(list)[0], field('搜索手机号、邮箱、用户名、昵称或编号').value]).toEqual([
      { search: 'abc', top: 10, skip: 0 },
      'abc',
    ])
    await act(async () => (all('.seg input')[1] as HTMLInputElement).click())
    await settle()
    expect([inputsOf(list).at(-1), field('搜索手机号、邮箱、用户名、昵称或编号').value]).toEqual([
      { only: 'disabled', top: 10, skip: 0 },
      '',
    ])
    // The emptied field doesn't look for nothing.
    await rest()
    await type('注册时间起', '2026-11-01')
    await type('注册时间止', '2026-11-14')
    const [from, to] = [new Date(2026, 10, 1).getTime(), new Date(2026, 10, 15).getTime()]
    expect(inputsOf(list).at(-1)).toEqual({ only: 'disabled', from, to, top: 10, skip: 0 })
    expect(currentAddress()).toBe('/merchant/users?only=disabled&from=2026-11-01&to=2026-11-14')
  })
  test('D533 a range that ends before it begins says so', async () => {
    await open(server(3))
    await type('注册时间起', '2026-11-14')
    await type('注册时间止', '2026-11-01')
    expect(alertText()).toBe('结束日期早于开始日期')
    await type('注册时间止', '2026-11-15')
    expect(alertText()).toBeUndefined()
  })
  test('what the address says and can’t be meant is left out', async () => {
    await open(server(3), '/merchant/users?page=-2&only=all&from=tomorrow&to=2026-13-99x')
    expect(inputsOf(list)).toEqual([{ top: 10, skip: 0 }])
  })
  test('another filter forgets the selection', async () => {
    await open(server(3))
    await pick(0)
    await act(async () => (all('.seg input')[2] as HTMLInputElement).click())
    await settle()
    expect(counted()[1]).toBe('已选择 0 项')
  })
  test('on a phone the filters are behind a button', async () => {
    useDevice.setState({ width: 390, height: 844 })
    await open(server(3))
    expect(find('.seg')).toBeNull()
    await press('筛选')
    expect([find('.seg') !== null, button('筛选')?.getAttribute('aria-expanded')]).toEqual([true, 'true'])
  })
})

describe('actions', () => {
  test('D065 beyond the own rights they are off, say why and can be reached', async () => {
    await open(server(3, ['READ']))
    await pick(0)
    for (const words of ['推送消息', '启用', '停用', '导出']) {
      const { disabled, title } = button(words) ?? {}
      expect([words, disabled, button(words)?.getAttribute('aria-disabled'), title]).toEqual([
        words,
        false,
        'true',
        '没有权限执行此操作',
      ])
    }
    await press('停用')
    expect([toast(), find('dialog'), inputsOf(status)]).toEqual(['没有权限执行此操作', null, []])
    expect(inputsOf(made)).toEqual([])
    await press('查看')
    expect(currentAddress()).toBe(`/merchant/users/${idOf(1)}`)
  })
  test('with WRITE a message can be pushed to one person', async () => {
    await open(server(3, ['READ', 'WRITE']))
    await pick(1)
    await press('推送消息')
    expect(currentAddress()).toBe(`/merchant/wechat?user=${idOf(2)}`)
  })
  test('停用 asks first, changes those that need it, and says so', async () => {
    await open(server(3))
    people = people.map((each, at) => (at === 2 ? { ...each, status: 'disabled' } : each))
    await press('刷新')
    await pick(0, 1, 2)
    await press('停用')
    expect(find('dialog')?.textContent).toContain('用户1 等 2 位用户将立即在所有设备上退出')
    await press('取消')
    expect(inputsOf(status)).toEqual([])
    await press('停用')
    await goOn()
    expect(inputsOf(status)).toEqual([0, 1].map((at) => ({ id: people[at]?.id, status: 'disabled' })))
    expect([toast(), find('dialog'), all('.badge').length, counted()[1]]).toEqual(['修改成功', null, 3, '已选择 3 项'])
    await press('停用')
    expect([toast(), find('dialog')]).toEqual(['所选用户均已停用', null])
    await press('启用')
    await goOn()
    expect(all('tbody .badge')).toHaveLength(0)
  })
  test('S414 a refusal is told for 5 s, and the rows are what they are', async () => {
    await open(server(2, everything, { [status]: failing('OWN_ACCOUNT', '不能对自己的账号执行此操作') }))
    await pick(0)
    await press('停用')
    await goOn()
    expect([toast(), find('dialog'), inputsOf(list).length]).toEqual(['不能对自己的账号执行此操作', null, 2])
  })
  test('an identity check that is owed is made first', async () => {
    await open(server(2, everything, { [status]: failing('TWO_FACTOR_REQUIRED', '') }))
    await pick(0)
    await press('停用')
    await goOn()
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
  })
})

describe('export', () => {
  const job = (differently: Partial<MadeFile> = {}): MadeFile => ({
    id: 'e1',
    status: 'running',
    done: 1_200,
    total: 48_216,
    time: Date.now(),
    expires: null,
    ...differently,
  })
  const card = () => find('.export')?.textContent
  test.each([
    ['', '将导出全部用户'],
    ['?search=abc', '将导出搜索「abc」找到的用户'],
    ['?only=disabled&from=2026-11-01', '将导出符合筛选条件的用户：已停用，注册时间 2026-11-01 至 今天'],
  ])('with %s the dialog says %s, and that it is recorded', async (query, words) => {
    await open(server(3), `/merchant/users${query}`)
    await press('导出')
    expect(find('dialog')?.textContent).toContain(words)
    expect(find('dialog')?.textContent).toContain('记入操作日志')
  })
  test('begins with what is filtered, tells how far it is each second, and ends with the file', async () => {
    let state = job({ status: 'waiting', done: 0 })
    const answers = server(3, everything, { [exporting]: () => state, [made]: () => ({ count: 1, data: [state] }) })
    await open({ ...answers, [made]: () => ({ count: 0, data: [] }) }, '/merchant/users?only=operators')
    expect(card()).toBeUndefined()
    serve(answers)
    await press('导出')
    await goOn()
    expect([inputsOf(exporting), find('dialog'), card()]).toEqual([[{ only: 'operators' }], null, '等待导出'])
    state = job()
    await until(() => card()?.includes('正在导出') ?? false)
    expect([card(), find<HTMLProgressElement>('progress')?.value]).toEqual(['正在导出1,200 / 约 48,216 行', 1_200])
    state = job({ status: 'done', done: 48_216, expires: Date.now() + 3_600_000 })
    await until(() => card()?.includes('导出完成') ?? false)
    expect(card()).toContain('导出完成共 48,216 行')
    expect(find('.export a')?.getAttribute('href')).toBe('/api/merchant/user/export/file?id=e1')
    const asked = inputsOf(made).length
    await act(async () => new Promise((resolve) => setTimeout(resolve, 1_100)))
    expect(inputsOf(made)).toHaveLength(asked)
  }, 30_000)
  test('one that runs already is there when the page is opened; one that failed can be tried again', async () => {
    await open(server(3, everything, { [made]: () => ({ count: 1, data: [job()] }) }))
    expect(card()).toContain('正在导出')
    await open(server(3, everything, { [made]: () => ({ count: 1, data: [job({ status: 'failed' })] }) }))
    expect(card()).toContain('导出失败，请重试')
    await press('重试')
    expect(find('dialog')?.textContent).toContain('导出用户')
  })
  test('a file that is gone is no news', async () => {
    const gone = job({ status: 'done', expires: Date.now() - 1 })
    await open(server(3, everything, { [made]: () => ({ count: 1, data: [gone] }) }))
    expect(card()).toBeUndefined()
  })
  test('a refusal stays in the dialog, a check that is owed is made first', async () => {
    await open(server(3, everything, { [exporting]: failing('EXPORT_BUSY', '已有导出任务正在进行，请等待完成后再试') }))
    await press('导出')
    await goOn()
    expect([find('dialog') !== null, alertText()]).toEqual([true, '已有导出任务正在进行，请等待完成后再试'])
    serve(server(3, everything, { [exporting]: failing('TWO_FACTOR_REQUIRED', '') }))
    await goOn()
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
  })
})
