import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../tools/fuzz/fuzz.ts'
import { nastyText } from '../../../tools/fuzz/nasty.ts'
import { convertMenu, type MenuButton } from './wechat-menu.ts'

const types = [
  'click',
  'view',
  'miniprogram',
  'media_id',
  'article_id',
  'view_limited',
  'text',
  'News',
  '__proto__',
  'x',
  '',
]
const short = fc.oneof(fc.constantFrom('官网', 'a', ' ', '联系我们'), nastyText)
const url = fc.oneof(fc.constantFrom('https://example.com/', 'http://a', 'HTTPS://b', 'javascript:1'), nastyText)
const junk = fc.oneof(fc.constantFrom<unknown>(null, 0, '', [], {}, true), fc.jsonValue({ maxDepth: 2 }))
const field = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: junk })

const entry = fc.record(
  {
    type: field(fc.constantFrom(...types)),
    name: field(short),
    key: field(short),
    url: field(url),
    appid: field(short),
    pagepath: field(short),
    media_id: field(short),
    article_id: field(short),
    value: field(short),
  },
  { requiredKeys: ['name', 'type', 'key', 'url'] },
)
const below = fc.array(field(entry), { maxLength: 6 })
const top = fc
  .tuple(
    entry,
    fc.option(
      fc.oneof(
        below,
        below.map((list) => ({ list })),
        junk,
      ),
      { nil: undefined },
    ),
  )
  .map(([one, sub]) => (sub === undefined ? one : { ...one, sub_button: sub }))
const row = field(fc.array(field(top), { maxLength: 4 }))
const menus = fc.oneof(
  { weight: 6, arbitrary: row.map((button) => ({ button })) },
  { weight: 2, arbitrary: row.map((button) => ({ selfmenu_info: { button } })) },
  { weight: 2, arbitrary: row.map((button) => ({ menu: { button } })) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
)

const at = (data: unknown, path: (string | number)[]): unknown =>
  path.reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], data)

fuzz('menu', 'a menu that is taken is taken again as it is, and has what WeChat allows', menus, (data) => {
  const result = quick(JSON.stringify(data).length, () => convertMenu(data))
  if (!('menu' in result)) return
  expect(convertMenu(result.menu)).toEqual(result)
  expect(convertMenu({ selfmenu_info: result.menu })).toEqual(result)
  expect(convertMenu(JSON.parse(JSON.stringify(result.menu)))).toEqual(result)
  const { button } = result.menu
  expect(button.length).toBeGreaterThan(0)
  for (const one of button) expectAllowed(one, 16)
  for (const one of button.flatMap(({ sub_button = [] }) => sub_button)) expectAllowed(one, 60)
})

function expectAllowed({ name, url, sub_button, type, ...rest }: MenuButton, most: number): void {
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(most)
  expect(sub_button === undefined).toBe(type !== undefined)
  if (url !== undefined) expect(/^https?:/i.test(String(url))).toBe(true)
  for (const value of Object.values({ name, ...rest })) expect(String(value).isWellFormed()).toBe(true)
}

fuzz('menu', 'faults of a menu are reported at an existing position', menus, (data) => {
  const result = convertMenu(data)
  if (!('faults' in result)) return
  for (const { path, reason } of result.faults) {
    expect(reason).not.toBe('')
    // The last step may be what is missing.
    expect(at(data, path.slice(0, -1))).toBeDefined()
  }
})
