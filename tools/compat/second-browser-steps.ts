import type { Page } from '@playwright/test'
import { readQr } from '../../verify/stories/read-qr.ts'
import { at, press, seen, toast, until } from './page-actions.ts'
import { password } from './user-steps.ts'
import type { Step } from './walk.ts'

/** What a camera would read from the code on the page. */
async function addressIn(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: '登录二维码' })
  await seen(code)
  const { size, path } = await code.evaluate((svg) => ({
    size: Number(svg.getAttribute('viewBox')?.split(' ')[2]),
    path: svg.lastElementChild?.getAttribute('d') ?? '',
  }))
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g))
    rows[Number(y)]?.fill(true, Number(x), Number(x) + Number(length))
  return readQr(rows, 2).text
}

/** The user in further browsers. */
export const secondBrowserSteps: Step[] = [
  {
    name: 'the code of scan sign-in is approved in WeChat',
    async run({ phone, web, another }) {
      const screen = await another('desktop')
      await screen.goto(`${web}/login`)
      await screen.getByRole('button', { name: '微信扫码' }).click()
      await phone.goto(await addressIn(screen))
      await seen(phone.getByRole('heading', { name: '确认登录？' }))
      await seen(screen.getByText('已扫描，请在手机上确认'))
      await press(phone, '确认登录')
      await seen(phone.getByRole('heading', { name: '已确认登录' }))
      await at(screen, `${web}/user`)
      await seen(screen.getByText('林知夏'))
    },
  },
  {
    name: 'the new password signs in in another browser, a wrong one is reported',
    async run({ web, mobile, another }) {
      const screen = await another('desktop')
      await screen.goto(`${web}/login`)
      await screen.getByRole('button', { name: '密码登录' }).click()
      await screen.getByLabel('账号', { exact: true }).fill(mobile)
      await screen.getByLabel('密码', { exact: true }).fill('Wrong#2026x')
      await press(screen, '登录')
      await press(screen, '同意并继续')
      await seen(screen.getByRole('alert').filter({ hasText: '账号或密码不正确' }))
      await screen.getByLabel('密码', { exact: true }).fill(password)
      await press(screen, '登录')
      await at(screen, `${web}/user`)
    },
  },
  {
    name: 'a tap on 微信登录 makes an account of its own',
    async run({ web, version, another }) {
      const other = await another('phone')
      await other.goto(`${web}/login`)
      await press(other, '微信登录')
      await press(other, '同意并继续')
      // Not the default owner of phones without a choice: that user would be known from then on.
      await other.locator(`[data-person="${version === '107' ? 'chen' : 'zhou'}"]`).click()
      await press(other, '创建新账号')
      await at(other, `${web}/user`)
      await seen(other.getByRole('link', { name: /^微信/ }))
    },
  },
  {
    name: 'the devices are listed and one is ended',
    async run({ phone, web }) {
      await phone.goto(`${web}/user/onlineDevices`)
      const cards = phone.locator('li.device')
      await until(
        () => cards.count(),
        (count) => count === 3,
      )
      await phone
        .getByRole('button', { name: /^下线 / })
        .last()
        .click()
      await phone.getByRole('dialog').getByRole('button', { name: '下线', exact: true }).click()
      await until(
        () => cards.count(),
        (count) => count === 2,
      )
    },
  },
]

/** After everything else: it ends the session. */
export const leaving: Step = {
  name: 'signing out leads home',
  async run({ phone, web }) {
    await phone.goto(`${web}/user`)
    await press(phone, '退出登录')
    await toast(phone, '已退出登录')
    await seen(phone.getByText('未登录'))
  },
}
