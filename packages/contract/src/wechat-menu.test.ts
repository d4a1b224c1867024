import { expect, test } from 'vitest'
import { convertMenu } from './wechat-menu.ts'

const view = (change: object = {}) => ({ type: 'view', name: '官网', url: 'https://www.qingyu.example/', ...change })
const click = { type: 'click', name: '帮助', key: 'HELP' }
const read = { button: [{ name: '服务', sub_button: { list: [view()] } }, click] }
const written = { button: [{ name: '服务', sub_button: [view()] }, click] }

test.each<[string, unknown]>([
  ['as it is read', { is_menu_open: 1, selfmenu_info: read }],
  ['as it is read, unwrapped', read],
  ['as it is written', written],
  ['as it is written, wrapped', { menu: written }],
])('S391 a menu %s becomes what WeChat takes', (_, data) => {
  expect(convertMenu(data)).toEqual({ menu: written })
})

test('an empty sub_button is dropped, and so is what the entry does not need', () => {
  const button = [{ ...click, sub_button: [] }, view({ sub_button: { list: [] }, value: 'x' })]
  expect(convertMenu({ button })).toEqual({ menu: { button: [click, view()] } })
})

test('a mini program keeps its three fields', () => {
  const program = { type: 'miniprogram', name: '商城', url: 'http://a.example/', appid: 'wx1', pagepath: 'pages/index' }
  expect(convertMenu({ button: [program] })).toEqual({ menu: { button: [program] } })
  const { appid: _, ...without } = program
  expect(convertMenu({ button: [without] })).toMatchObject({
    faults: [{ place: '第 1 个菜单「商城」', reason: '缺少 appid', path: ['button', 0] }],
  })
})

test.each([
  ['text', '文字消息'],
  ['Text', '文字消息'],
  ['img', '图片消息'],
  ['voice', '语音消息'],
  ['video', '视频消息'],
  ['news', '图文消息'],
])('an entry of type %s, made on WeChat’s own site, is refused by name and place', (type, name) => {
  const made = { type, name: '活动', value: 'x' }
  const reason = `「${name}」（${type}）只能在微信公众平台中设置，微信的接口无法保存`
  expect(convertMenu({ button: [click, made] })).toEqual({
    faults: [{ place: '第 2 个菜单「活动」', reason, path: ['button', 1, 'type'] }],
  })
  expect(convertMenu({ button: [{ name: '服务', sub_button: { list: [view(), made] } }] })).toEqual({
    faults: [
      {
        place: '第 1 个菜单「服务」下的第 2 项「活动」',
        reason,
        path: ['button', 0, 'sub_button', 'list', 1, 'type'],
      },
    ],
  })
})

const many = (count: number) => Array.from({ length: count }, () => view())
const under = (...below: unknown[]) => [{ name: '服务', sub_button: below }]

test.each<[string, unknown, string]>([
  ['no object', 'menu', '缺少 button 列表'],
  ['no list', { button: {} }, '缺少 button 列表'],
  ['a list by inheritance', Object.create(written), '缺少 button 列表'],
  ['no entry', { button: [] }, '一级菜单须为 1-3 个，现有 0 个'],
  ['four entries', { button: many(4) }, '一级菜单须为 1-3 个，现有 4 个'],
  ['six below', { button: under(...many(6)) }, '二级菜单最多 5 个，现有 6 个'],
  ['an entry that is text', { button: ['x'] }, '须为对象'],
  ['an entry below that is text', { button: under('x') }, '须为对象'],
  ['no name', { button: [view({ name: ' ' })] }, '缺少 name'],
  ['a long name', { button: [view({ name: '一二三四五六' })] }, 'name 最长 16 字节（一个汉字占 3 字节），现有 18 字节'],
  [
    'a long name below',
    { button: under(view({ name: 'a'.repeat(61) })) },
    'name 最长 60 字节（一个汉字占 3 字节），现有 61 字节',
  ],
  ['no type', { button: [{ name: '官网' }] }, '缺少 type，也没有二级菜单'],
  ['a type that there is not', { button: [view({ type: 'constructor' })] }, '微信的接口不支持类型 constructor'],
  ['no key', { button: [{ ...click, key: '' }] }, '缺少 key'],
  [
    'a long key',
    { button: [{ ...click, key: 'a'.repeat(129) }] },
    'key 最长 128 字节（一个汉字占 3 字节），现有 129 字节',
  ],
  ['no address', { button: [{ type: 'view', name: '官网' }] }, '缺少 url'],
  ['another scheme', { button: [view({ url: 'javascript:alert(1)' })] }, 'url 须以 http:// 或 https:// 开头'],
  ['three rows', { button: under({ name: '更多', sub_button: [view()] }) }, '菜单最多两级'],
  ['a control character', { button: [view({ name: '官\u0001网' })] }, 'name 含有不能使用的字符'],
  ['half a character', { button: [view({ name: '官\ud83d' })] }, 'name 含有不能使用的字符'],
  ['a sub_button that is text', { button: [{ name: '服务', sub_button: 'x' }] }, 'sub_button 须为列表'],
])('a menu with %s is refused with a reason', (_, data, reason) => {
  expect(convertMenu(data)).toMatchObject({ faults: [{ reason }] })
})

test('the largest menu that WeChat takes is taken', () => {
  const below = Array.from({ length: 5 }, () =>
    view({ name: 'a'.repeat(60), url: `https://a.example/${'a'.repeat(1006)}` }),
  )
  const button = Array.from({ length: 3 }, () => ({ name: 'a'.repeat(16), sub_button: below }))
  expect(convertMenu({ button })).toEqual({ menu: { button } })
})

test('every entry reports its own first fault, with its path in either shape', () => {
  const written = { menu: { button: [view({ url: 'x' }), { name: '服务', sub_button: [view({ name: '' }), 'x'] }, 7] } }
  expect(convertMenu(written)).toMatchObject({
    faults: [
      { path: ['menu', 'button', 0, 'url'] },
      { path: ['menu', 'button', 1, 'sub_button', 0, 'name'] },
      { path: ['menu', 'button', 1, 'sub_button', 1] },
      { path: ['menu', 'button', 2] },
    ],
  })
  expect(convertMenu({ selfmenu_info: {} })).toMatchObject({ faults: [{ path: ['selfmenu_info'] }] })
  expect(convertMenu({ button: many(4) })).toMatchObject({ faults: [{ path: ['button'] }] })
})
