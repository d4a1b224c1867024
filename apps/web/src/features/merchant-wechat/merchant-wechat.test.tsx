// @vitest-environment happy-dom
import { EditorView } from '@codemirror/view'
import type { UserRow } from '@hufu/contract/merchant-users'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  all,
  button,
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
import MerchantWechatPage from './merchant-wechat-page.tsx'

const paths = {
  token: '/api/merchant/wechat/token',
  load: '/api/merchant/wechat/loadMenu',
  change: '/api/merchant/wechat/changeMenu',
  templates: '/api/merchant/wechat/loadMessageTemplates',
  send: '/api/merchant/wechat/sendMessage',
  people: '/api/merchant/user/query',
}

const menu = {
  button: [
    { name: '服务', sub_button: { list: [{ type: 'view', name: '官网', url: 'https://www.qingyu.example/' }] } },
    { type: 'click', name: '帮助', key: 'HELP' },
  ],
}

const shipping = {
  template_id: 'iPk5sOIt5X',
  title: '订单发货通知',
  content: '订单号:{{character_string1.DATA}}\n商品名称:{{thing2.DATA}}\n发货时间:{{time3.DATA}}',
}
const points = { template_id: 'ngqIpbwh8b', title: '积分变动', content: '{{first.DATA}}\n积分:{{number3.DATA}}' }

const person: UserRow = {
  id: '0b1c2d3e-1111-4222-8333-444455556666',
  status: 'active',
  mobilePrefix: '86',
  mobile: '138****5678',
  nickname: '陈默',
  username: null,
  email: null,
  lastAccess: null,
  since: 0,
  operator: false,
  protected: false,
}

const inTwoHours = () => Date.now() + 7_200_000

const server = (more: Answers = {}, rights = ['READ', 'WRITE', 'ADMIN']): Answers => ({
  '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: rights } }),
  '/api/user/feedback/unread': () => ({ user: 0, merchant: 0 }),
  '/api/user/twoFactor/state': () => ({ twoFactor: true, way: 'mobile', second: [] }),
  [paths.token]: () => ({ access_token: 'secret-token', expires: inTwoHours() }),
  [paths.load]: () => menu,
  [paths.change]: () => null,
  [paths.templates]: () => [shipping, points],
  [paths.send]: () => ({ msgid: '3428411849815982087' }),
  [paths.people]: () => ({ count: 1, data: [person], more: false }),
  ...more,
})
const failing =
  (code: string, message = code, details?: Record<string, unknown>) =>
  () => {
    throw new Refusal(code, message, details)
  }
const refusing = (errcode: number, reason: string, more = {}) =>
  failing('WECHAT_CALL_REFUSED', '微信拒绝了此操作', { errcode, reason, ...more })

async function open(search = '', answers = server()) {
  serve(answers)
  await draw(
    <>
      <Routes>
        <Route path="/merchant/wechat" element={<SignedIn page={<MerchantWechatPage />} />} />
        <Route path="*" element={null} />
      </Routes>
      <Toaster />
    </>,
    `/merchant/wechat${search}`,
  )
  await settle()
}
const openMenu = (answers = server()) => open('?tab=menu', answers)
const openMessage = (answers = server()) => open('?tab=message', answers)

const toast = () => find('.toast')?.textContent
const diagnosis = () => find('.diagnosis')
const dialog = () => find('dialog')
/** The dialog's button that goes on. */
async function goOn() {
  await act(async () => all('dialog button').at(-1)?.click())
  await settle()
}
const tab = (label: string) => press(label)
/** The editor with this label, inside its shadow. */
function editorOf(label: string): EditorView {
  const contents = all('.json-host').map((host) => host.shadowRoot?.querySelector<HTMLElement>('.cm-content'))
  const view = EditorView.findFromDOM(
    contents.find((each) => each?.getAttribute('aria-label') === label) ?? document.body,
  )
  if (!view) throw new Error(`no editor ${label}`)
  return view
}
const textIn = (label: string) => editorOf(label).state.doc.toString()
async function write(label: string, insert: string) {
  const view = editorOf(label)
  await act(async () => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }))
  await settle()
}
const menuText = () => textIn('菜单内容（JSON）')
const writeMenu = (text: string) => write('菜单内容（JSON）', text)

beforeAll(() => import('../../ui/json-editor/json-view.tsx'))
afterEach(async () => {
  await leave()
  vi.useRealTimers()
})
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('the page', () => {
  test('S062 S147 is called 微信管理 and has exactly three tabs', async () => {
    await open()
    expect(find('h1')?.textContent).toBe('微信管理')
    expect(all('[role=tab]').map((each) => each.textContent)).toEqual(['微信Token', '微信菜单维护', '微信消息推送'])
  })
  test('S341 ensures login first', async () => {
    await open('', { '/api/user/info': failing('NOT_LOGGED_IN', '请先登录') })
    expect(find('[role=tab]')).toBeNull()
    const link = all('a').find((each) => each.textContent === '立即登录')
    expect(link?.getAttribute('href')).toBe('/login/%2Fmerchant%2Fwechat')
  })
  test('a user without READ sees only that', async () => {
    await open('', server({}, []))
    expect([find('[role=tab]'), shownText().includes('无权限访问')]).toEqual([null, true])
  })
})

describe('微信Token', () => {
  test('D045 S148 nothing is fetched before the tap; then it is there, hidden until asked for, with its end', async () => {
    await open()
    expect(inputsOf(paths.token)).toEqual([])
    expect(shownText()).toContain('每次获取都会记入操作日志')
    await press('获取')
    expect(inputsOf(paths.token)).toHaveLength(1)
    expect(shownText()).toContain('还剩 120 分钟')
    expect(find('.token')?.textContent).not.toContain('secret-token')
    await press('显示')
    expect(find('.token')?.textContent).toBe('secret-token')
    await press('隐藏')
    expect(shownText()).not.toContain('secret-token')
  })
  test('复制 takes it along without showing it', async () => {
    const writeText = vi.fn(async (_: string) => undefined)
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
    await open()
    await press('获取')
    await press('复制')
    expect([writeText.mock.calls, toast()]).toEqual([[['secret-token']], '已复制'])
    vi.unstubAllGlobals()
  })
  test('S439 within 60 s neither the tab nor a tap asks again', async () => {
    await open()
    await press('获取')
    await tab('微信菜单维护')
    await tab('微信Token')
    expect(button('显示')).toBeDefined()
    await press('重新获取')
    expect(inputsOf(paths.token)).toHaveLength(1)
  })
  test('S440 after 60 s the token is asked for again', async () => {
    await open()
    await press('获取')
    await tab('微信菜单维护')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 })
    await tab('微信Token')
    expect([button('显示'), inputsOf(paths.token).length]).toEqual([undefined, 1])
    await press('获取')
    expect(inputsOf(paths.token)).toHaveLength(2)
    expect(button('显示')).toBeDefined()
  })
  test('D045 without ADMIN it can’t be fetched, and says why', async () => {
    await open('', server({}, ['READ', 'WRITE']))
    expect(button('获取')?.getAttribute('aria-disabled')).toBe('true')
    expect(shownText()).toContain('没有权限执行此操作')
    await press('获取')
    expect(inputsOf(paths.token)).toEqual([])
  })
  test('an end that has passed says so', async () => {
    await open('', server({ [paths.token]: () => ({ access_token: 'x', expires: Date.now() - 1 }) }))
    await press('获取')
    expect(shownText()).toContain('已过期，请重新获取')
  })
})

describe('what WeChat refuses', () => {
  test('S413 a server error is told as a toast for 5 s, and stays in place in plain words', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    await open('', server({ [paths.token]: refusing(45009, '微信接口今日的调用次数已用完，请明日再试') }))
    await press('获取')
    expect(toast()).toBe('微信拒绝了此操作')
    expect(diagnosis()?.textContent).toContain('微信接口今日的调用次数已用完，请明日再试')
    await act(async () => vi.advanceTimersByTime(4_800))
    expect(toast()).toBe('微信拒绝了此操作')
    await act(async () => vi.advanceTimersByTime(300))
    expect(toast()).toBeUndefined()
    expect(diagnosis()).not.toBeNull()
  })
  test.each([
    [40125, '核对或重置 AppSecret', '前往配置'],
    [40013, '核对 AppID', '前往配置'],
    [45011, '等待一分钟后重试', undefined],
    [48001, '接口权限', undefined],
    [89503, '公众平台安全助手', undefined],
  ])('%i comes with what to do', async (errcode, step, link) => {
    await open('', server({ [paths.token]: refusing(errcode, '因为') }))
    await press('获取')
    expect(diagnosis()?.querySelector('ol')?.textContent).toContain(step)
    expect(diagnosis()?.querySelector('a')?.textContent).toBe(link)
  })
  test('40164: the address that WeChat doesn’t know can be copied', async () => {
    const writeText = vi.fn(async (_: string) => undefined)
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
    await open('', server({ [paths.token]: refusing(40164, '服务器地址不在白名单', { address: '203.0.113.9' }) }))
    await press('获取')
    expect(diagnosis()?.querySelector('ol')?.textContent).toContain('IP 白名单')
    await press('复制服务器地址')
    expect(writeText.mock.calls).toEqual([['203.0.113.9']])
    vi.unstubAllGlobals()
  })
  test('a site without an account is shown the way to its config', async () => {
    await open('', server({ [paths.token]: failing('WECHAT_OFF', '本站未开通微信登录') }))
    await press('获取')
    expect(diagnosis()?.querySelector('a')?.getAttribute('href')).toBe('/merchant/config')
  })
  test('an unknown code is shown without advice; the next try may succeed', async () => {
    await open('', server({ [paths.token]: refusing(99999, '微信拒绝了此操作（错误码 99999）') }))
    await press('获取')
    expect([diagnosis()?.textContent, diagnosis()?.querySelector('ol')]).toEqual([
      '微信拒绝了此操作（错误码 99999）',
      null,
    ])
    serve(server())
    await press('获取')
    expect([diagnosis(), button('显示') !== undefined]).toEqual([null, true])
  })
})

describe('微信菜单维护', () => {
  test('S149 S150 the editor shows selfmenu_info, with 保存 under it', async () => {
    await openMenu()
    expect(JSON.parse(menuText())).toEqual(menu)
    expect(button('保存')).toBeDefined()
  })
  test('S427 saving asks first, then sends what was written, and says 修改成功', async () => {
    await openMenu()
    const written = { button: [{ type: 'click', name: '客服', key: 'KEFU' }] }
    await writeMenu(JSON.stringify(written))
    expect(shownText()).toContain('有未保存的修改')
    await press('保存')
    expect(dialog()?.textContent).toContain('保存后对所有关注者生效')
    await press('取消')
    expect([dialog(), inputsOf(paths.change)]).toEqual([null, []])
    await press('保存')
    await goOn()
    expect(inputsOf(paths.change)).toEqual([{ data: written }])
    expect([toast(), dialog()]).toEqual(['修改成功', null])
    expect(JSON.parse(menuText())).toEqual(written)
    expect(shownText()).not.toContain('有未保存的修改')
  })
  test('S317 S318 invalid JSON: JSON格式错误 for 5 s, nothing asked, nothing sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    await openMenu()
    await writeMenu('{"button": [')
    await press('保存')
    expect([toast(), dialog(), inputsOf(paths.change)]).toEqual(['JSON格式错误', null, []])
    await act(async () => vi.advanceTimersByTime(4_800))
    expect(toast()).toBe('JSON格式错误')
    await act(async () => vi.advanceTimersByTime(300))
    expect(toast()).toBeUndefined()
  })
  test('what WeChat wouldn’t take is told while typing, and isn’t sent', async () => {
    await openMenu()
    await writeMenu('{"button":[{"type":"view","name":"官网","url":"ftp://a"},{"type":"News","name":"活动"}]}')
    expect(find('.json-foot')?.textContent).toContain(
      '第 1 个菜单「官网」：url 须以 http:// 或 https:// 开头，另有 1 处',
    )
    await press('保存')
    expect([toast(), dialog(), inputsOf(paths.change)]).toEqual(['菜单不符合微信的要求，请按提示修改', null, []])
  })
  test('格式化 sets it out anew, 重新加载 asks before what was written is lost', async () => {
    await openMenu()
    await writeMenu('{"button":[]}')
    await press('格式化')
    expect(menuText()).toBe('{\n  "button": []\n}')
    await press('重新加载')
    expect(dialog()?.textContent).toContain('放弃未保存的修改？')
    await goOn()
    expect([JSON.parse(menuText()), inputsOf(paths.load).length]).toEqual([menu, 2])
  })
  test('an account without a menu starts with an example', async () => {
    await openMenu(server({ [paths.load]: () => ({ button: [] }) }))
    expect(shownText()).toContain('公众号还没有菜单')
    expect(find('.json-foot.bad')).toBeNull()
    await press('填入示例')
    expect(JSON.parse(menuText()).button).toHaveLength(2)
    expect(find('.json-foot.bad')).toBeNull()
  })
  test('what was written survives a visit to another tab', async () => {
    await openMenu()
    await writeMenu('{"button":[]}')
    await tab('微信Token')
    await tab('微信菜单维护')
    expect(menuText()).toBe('{"button":[]}')
  })
  test('without WRITE it can be read but not saved', async () => {
    await openMenu(server({}, ['READ']))
    await press('保存')
    expect([dialog(), toast()]).toEqual([null, '没有权限执行此操作'])
    expect(button('保存')?.getAttribute('aria-disabled')).toBe('true')
  })
  test('what can’t be loaded is explained and can be tried again', async () => {
    await openMenu(server({ [paths.load]: failing('WECHAT_FAILED', '微信暂时无法连接，请稍后再试') }))
    expect([toast(), diagnosis()?.textContent?.includes('微信没有回应或正忙')]).toEqual([
      '微信暂时无法连接，请稍后再试',
      true,
    ])
    serve(server())
    await press('重试')
    expect(JSON.parse(menuText())).toEqual(menu)
  })
  test('a refusal of WeChat’s keeps what was written', async () => {
    await openMenu(server({ [paths.change]: refusing(40018, '菜单按钮的名称为空或过长') }))
    await writeMenu('{"button":[{"type":"click","name":"客服","key":"K"}]}')
    await press('保存')
    await goOn()
    expect([dialog(), diagnosis()?.textContent, toast()]).toEqual([
      null,
      '菜单按钮的名称为空或过长',
      '微信拒绝了此操作',
    ])
    expect(menuText()).toContain('客服')
  })
  test('what the server alone finds wrong with a menu is told with its place', async () => {
    const details = { place: '第 1 个菜单「客服」', reason: '缺少 key' }
    await openMenu(server({ [paths.change]: failing('WECHAT_MENU_INVALID', '菜单不符合微信的要求', details) }))
    await writeMenu('{"button":[{"type":"click","name":"客服","key":"K"}]}')
    await press('保存')
    await goOn()
    expect([toast(), diagnosis()?.textContent]).toEqual(['菜单不符合微信的要求', '第 1 个菜单「客服」：缺少 key'])
  })
  test('the preview opens what lies below and tells where an entry leads', async () => {
    await openMenu()
    await press('服务')
    await press('官网')
    expect(find('.menu-target')?.textContent).toBe('官网打开网页https://www.qingyu.example/')
    await press('帮助')
    expect([find('.menu-target')?.textContent, button('官网')]).toEqual(['帮助触发事件HELP', undefined])
    await writeMenu('{"button":[{"type":"News","name":"活动","value":"x"},{"name":""},7')
    expect(button('帮助')).toBeDefined()
    await writeMenu('{"button":[{"type":"News","name":"活动","value":"x"},{"name":""},7]}')
    await press('活动')
    expect(find('.menu-target')?.textContent).toBe('活动图文消息x')
    await press('未命名')
    expect(find('.menu-target')?.textContent).toBe('未命名未设置')
  })
})

describe('微信消息推送', () => {
  const select = (title: string) =>
    type('消息模板', [shipping, points].find((each) => each.title === title)?.template_id ?? '')
  const params = () => textIn('参数')
  const preview = () => all('.wxmsg-lines p').map((line) => line.textContent)
  const rest = () => act(async () => new Promise((resolve) => setTimeout(resolve, 320)))
  async function fillIn(user = person.id) {
    await type('用户 ID', user)
    await select('订单发货通知')
    await write('参数', '{"character_string1":"SF1","thing2":"香皂","time3":"10:20"}')
  }

  test('S151 S152 S153 S154 S155 S156 S157 S323 the fields, and what selecting a template brings', async () => {
    await openMessage()
    const empty = ['用户 ID', '消息模板', '模板 ID', '跳转地址'].map((label) => field(label).value)
    expect([...empty, params()]).toEqual(['', '', '', '', '{}'])
    expect(button('发送')).toBeDefined()
    await select('订单发货通知')
    expect(field('模板 ID').value).toBe(shipping.template_id)
    expect(JSON.parse(params())).toEqual({ character_string1: '', thing2: '', time3: '' })
    expect(find('.wxmsg h3')?.textContent).toBe('订单发货通知')
    await select('积分变动')
    expect(JSON.parse(params())).toEqual({ first: '', number3: '' })
  })
  test('S324 S325 the preview shows what was written, and the placeholder where nothing was', async () => {
    await openMessage()
    await select('订单发货通知')
    await write('参数', '{"character_string1":"","thing2":"海盐香皂"}')
    expect(preview()).toEqual(['订单号{{character_string1.DATA}}', '商品名称海盐香皂', '发货时间{{time3.DATA}}'])
    await write('参数', '{"character_string1":"","thing2":"海盐')
    expect(preview()[1]).toBe('商品名称海盐香皂')
  })
  test('S426 it asks first, sends once, says 发送成功 with the number, and the form stays', async () => {
    await openMessage()
    await fillIn()
    await type('跳转地址', ' https://a.example/o/1 ')
    await press('发送')
    expect(dialog()?.textContent).toContain('推送后立即送达，无法撤回')
    expect(inputsOf(paths.send)).toEqual([])
    await goOn()
    expect(inputsOf(paths.send)).toEqual([
      {
        userId: person.id,
        templateId: shipping.template_id,
        url: 'https://a.example/o/1',
        params: { character_string1: 'SF1', thing2: '香皂', time3: '10:20' },
      },
    ])
    expect([toast(), dialog()]).toEqual(['发送成功', null])
    expect(find('.notice.good')?.textContent).toBe('发送成功，消息编号 3428411849815982087')
    expect(field('用户 ID').value).toBe(person.id)
    await press('发送')
    await goOn()
    expect(find('.notice.warn')?.textContent).toContain('微信没有重复推送')
  })
  test('S321 S322 invalid parameter JSON: JSON格式错误 and nothing is sent', async () => {
    await openMessage()
    await fillIn()
    await write('参数', '{"thing2":')
    await press('发送')
    expect([toast(), dialog(), inputsOf(paths.send)]).toEqual(['JSON格式错误', null, []])
    await write('参数', '{"thing2": 5}')
    await press('发送')
    expect([toast(), dialog(), inputsOf(paths.send)]).toEqual(['参数有误，请按提示修改', null, []])
  })
  test('who, which template and a right address are needed', async () => {
    await openMessage()
    await type('跳转地址', 'javascript:alert(1)')
    await press('发送')
    expect(all('[role=alert]').map((each) => each.textContent)).toEqual([
      '请输入用户编号，或从搜索结果中选择',
      '请选择消息模板',
      '须为以 http:// 或 https:// 开头的网址',
    ])
    await fillIn()
    await press('发送')
    expect(all('[role=alert]').map((each) => each.textContent)).toEqual(['须为以 http:// 或 https:// 开头的网址'])
    expect([dialog(), inputsOf(paths.send)]).toEqual([null, []])
    await type('跳转地址', '')
    await press('发送')
    expect(dialog()).not.toBeNull()
  })
  test('what WeChat would refuse is pointed out, and before sending once more', async () => {
    await openMessage()
    await fillIn()
    await write('参数', `{"character_string1":"单号","thing2":"${'一'.repeat(21)}","time3":"","x":"y"}`)
    await press('发送')
    expect(dialog()?.textContent).toContain('还有 1 个参数没有填写')
    expect(dialog()?.textContent).toContain('有 3 个参数不符合微信的要求')
    await goOn()
    expect(inputsOf(paths.send)).toHaveLength(1)
  })
  test('a nickname finds people to pick from; what is sent is the whole id', async () => {
    await openMessage()
    await type('用户 ID', '陈')
    await rest()
    await settle()
    expect(inputsOf(paths.people)).toEqual([{ search: '陈', top: 5, skip: 0 }])
    await act(async () => find('[role=option]')?.click())
    await settle()
    expect([field('用户 ID').value, find('.user-known')?.textContent]).toEqual(['0B1C2D3E', '陈默 · 138****5678'])
    await select('订单发货通知')
    await press('发送')
    await goOn()
    expect(inputsOf(paths.send)[0]?.userId).toBe(person.id)
  })
  test('the keys pick, too', async () => {
    await openMessage(
      server({ [paths.people]: () => ({ count: 2, data: [{ ...person, id: 'a' }, person], more: false }) }),
    )
    await type('用户 ID', '陈')
    await rest()
    await settle()
    const key = (name: string) =>
      act(async () => field('用户 ID').dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })))
    await key('ArrowDown')
    await key('Enter')
    expect(field('用户 ID').value).toBe('0B1C2D3E')
  })
  test('an address with a person leads here, and who it is, is told', async () => {
    await open(`?user=${person.id}`)
    expect([currentAddress(), field('用户 ID').value]).toEqual(['/merchant/wechat?tab=message', person.id])
    await rest()
    await settle()
    expect(find('.user-known')?.textContent).toContain('陈默')
  })
  test('an id of no user is refused before sending', async () => {
    await openMessage(server({ [paths.people]: () => ({ count: 0, data: [], more: false }) }))
    await type('用户 ID', '0B1C2D3E')
    await rest()
    await settle()
    expect(find('.user-known')?.textContent).toBe('没有找到该用户')
    serve(server({ [paths.people]: failing('SERVICE_BUSY') }))
    await type('用户 ID', '0B1C2D3F')
    await rest()
    await settle()
    expect(find('.user-known')?.textContent).toBe('')
  })
  test.each([
    ['USER_UNKNOWN', '用户不存在，请检查编号'],
    ['WECHAT_UNBOUND', '该用户没有绑定微信'],
  ])('%s stands at the user until another one is named', async (code, message) => {
    await openMessage(server({ [paths.send]: failing(code, message) }))
    await fillIn()
    await press('发送')
    await goOn()
    expect([find('.user-field [role=alert]')?.textContent, toast(), diagnosis()]).toEqual([message, message, null])
    await type('用户 ID', '0B1C2D3F')
    expect(find('.user-field [role=alert]')).toBeNull()
  })
  test('43004: what WeChat refuses stands under the form with what to do', async () => {
    await openMessage(server({ [paths.send]: refusing(43004, '该用户没有关注公众号，无法接收消息') }))
    await fillIn()
    await press('发送')
    await goOn()
    expect(diagnosis()?.textContent).toContain('该用户没有关注公众号')
    expect(diagnosis()?.textContent).toContain('请用户先关注公众号')
    expect(params()).toContain('香皂')
  })
  test('without WRITE nothing is sent', async () => {
    await openMessage(server({}, ['READ']))
    await fillIn()
    await press('发送')
    expect([dialog(), toast(), inputsOf(paths.send)]).toEqual([null, '没有权限执行此操作', []])
  })
  test('templates that don’t come are explained, and none at all too', async () => {
    await openMessage(server({ [paths.templates]: refusing(48001, '公众号没有该接口的权限') }))
    expect(diagnosis()?.textContent).toContain('公众号没有该接口的权限')
    serve(server({ [paths.templates]: () => [] }))
    await press('重试')
    expect(shownText()).toContain('公众号还没有消息模板')
  })
})
