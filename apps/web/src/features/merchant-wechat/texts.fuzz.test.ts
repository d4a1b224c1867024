import { convertMenu } from '@hufu/contract/wechat-menu'
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { exampleMenu, readMenu, writeMenu } from './menu-text.ts'
import { shownMenu } from './menu-view.ts'
import { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'
import { blankParams, readParams, unfilled } from './params.ts'

const { menu: menuWords, message: words } = merchantWechatZhCN
const told = JSON.stringify({
  selfmenu_info: { button: [{ name: 'a', sub_button: { list: [{ type: 'view', name: 'b', url: 'https://a' }] } }] },
})
const menus = fc.oneof(
  changed(fc.constantFrom(writeMenu(exampleMenu('https://a.example')), told)),
  fc.json({ maxDepth: 4 }),
  nastyText,
)

fuzz(
  'menu-text',
  'what an editor holds is read as the server reads it, and drawn as far as it can be',
  menus,
  (text) => {
    const { data, faults } = quick(text.length, () => readMenu(text, menuWords))
    for (const { name, kind } of shownMenu(data, menuWords))
      expect([typeof name, typeof kind]).toEqual(['string', 'string'])
    if (faults.length > 0) return
    const result = convertMenu(data)
    expect('menu' in result).toBe(true)
    expect(readMenu(writeMenu(data), menuWords)).toEqual({ data, faults: [] })
  },
)

const content = '姓名：{{name1.DATA}}\n时间：{{time2.DATA}}{{__proto__.DATA}}'
const params = fc.oneof(
  changed(fc.constantFrom(blankParams(content), '{"name1":"张三","time2":"15:01"}', '{"__proto__":"x"}')),
  fc.json({ maxDepth: 2 }),
  nastyText,
)

fuzz('params', 'parameters are texts by name, whatever was written', params, (text) => {
  const { broken, params, faults } = quick(text.length, () => readParams(text, content, words))
  if (broken) expect(faults).toHaveLength(1)
  for (const value of Object.values(params)) expect(value).toBeTypeOf('string')
  expect(Object.getPrototypeOf(params)).toBe(Object.prototype)
  for (const name of unfilled(content, params)) expect(content).toContain(`{{${name}.DATA}}`)
})
