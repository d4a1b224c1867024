import { at, choice, press, seen, signInByCode, toast, until, write } from './page-actions.ts'
import type { Step, Walk } from './walk.ts'

const watching: Step[] = [
  {
    name: 'an operator signs in and sees the home of the back-office',
    vital: true,
    async run(walk) {
      const { desk, web, operator } = walk
      await desk.goto(`${web}/login/${encodeURIComponent('/merchant')}`)
      await signInByCode(walk, desk, operator.mobile)
      await at(desk, `${web}/merchant`)
      await seen(desk.getByRole('heading', { name: '商户管理', level: 1 }))
      await seen(desk.locator('main').getByRole('link', { name: /^用户管理/ }))
    },
  },
  {
    name: 'the table of users finds a number and opens the user',
    async run({ desk, web, mobile }) {
      await desk.goto(`${web}/merchant/users`)
      await seen(desk.locator('tbody tr'))
      await desk.getByRole('searchbox').fill(mobile)
      await until(
        () => desk.locator('tbody tr').count(),
        (count) => count === 1,
      )
      await seen(desk.locator('tbody tr', { hasText: '林知夏' }))
      await desk.locator('tbody tr').getByRole('link').first().click()
      await seen(desk.locator('.person-who h2', { hasText: '林知夏' }))
      await seen(desk.getByText(`+86 ${mobile.replace(/^(\d{3})(\d{4})/, '$1 $2 ')}`))
    },
  },
  {
    name: 'the statistics show figures and a curve with its tip',
    async run({ desk, web }) {
      await desk.goto(`${web}/merchant/statistics`)
      await seen(desk.getByRole('region', { name: '总计', exact: true }).locator('b'))
      const plot = desk.getByRole('slider', { name: /曲线/ })
      await seen(plot)
      await plot.hover()
      await seen(desk.locator('.tip'))
      await choice(desk, '指标').selectOption({ label: '授权次数' })
      await seen(desk.locator('.legend'))
    },
  },
  {
    name: 'the log of operators is listed',
    async run({ desk, web }) {
      await desk.goto(`${web}/merchant/log`)
      await seen(desk.locator('tbody tr'))
    },
  },
]

const setting: Step[] = [
  {
    name: 'the config is edited, a fault reported at its line, and saved',
    async run({ desk, web, version, picture }) {
      await desk.goto(`${web}/merchant/config`)
      const editor = desk.locator('.json-host .cm-content')
      await seen(editor)
      const before = await readConfig(desk)
      await write(desk, editor, JSON.stringify({ ...before, theme: { primary: 'blue' } }, null, 2))
      await seen(desk.locator('.json-host .cm-why', { hasText: '须为 #rrggbb 形式的颜色' }))
      await seen(desk.getByText('当前内容有误'))
      await write(desk, editor, JSON.stringify({ ...before, slogan: `seen in ${version}` }, null, 2))
      await seen(desk.getByText(/有 \d+ 处未保存的修改/))
      await seen(desk.frameLocator('iframe[title="登录页预览"]').getByText('手机号登录'))
      await picture(desk, 'config with preview')
      await press(desk, '保存')
      await seen(desk.getByRole('dialog').locator('ins'))
      await press(desk, '确认保存')
      await toast(desk, '修改成功')
    },
  },
  {
    name: 'the WeChat page gives a token, a menu and a message',
    async run({ desk, web }) {
      await desk.goto(`${web}/merchant/wechat`)
      await press(desk, '获取')
      await seen(desk.locator('.token'))
      await desk.getByRole('tab', { name: '微信菜单维护' }).click()
      const menu = desk.locator('.cm-content[aria-label="菜单内容（JSON）"]')
      await seen(menu)
      const button = { name: '商城', type: 'view', url: 'https://shop.example/' }
      await write(desk, menu, JSON.stringify({ is_menu_open: 1, selfmenu_info: { button: [button] } }, null, 2))
      await seen(desk.locator('main').getByText('商城', { exact: true }))
      await desk.goto(`${web}/merchant/wechat?tab=message`)
      await seen(desk.getByRole('tabpanel'))
    },
  },
]

/** As the server keeps it, secrets masked: lines out of sight are not drawn, so the editor can't be read. */
const readConfig = (page: Walk['desk']) =>
  page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/api/merchant/config/read', { method: 'POST', headers, body: '{}' })
    return (await answer.json()).data
  })

export const backOfficeSteps: Step[] = [...watching, ...setting]
