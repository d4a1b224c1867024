import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { at, field, gone, press, seen, toast, until } from './page-actions.ts'
import type { Step } from './walk.ts'

const talk = (page: Page) => page.getByRole('log', { name: '沟通记录' })

const photo = () =>
  sharp({ create: { width: 900, height: 600, channels: 3, background: '#c98b3a' } })
    .jpeg()
    .toBuffer()

async function say(page: Page, name: string, words: string): Promise<void> {
  await field(page, name).fill(words)
  await press(page, '发送')
  await seen(talk(page).getByText(words))
}

/** Every step goes on in the conversation that the first has begun and both have open. */
export const feedbackSteps: Step[] = [
  {
    name: 'feedback is sent and its answer arrives by itself',
    async run({ phone, desk, web }) {
      await phone.goto(`${web}/user/feedback`)
      await say(phone, '反馈内容', '换绑手机号之后收不到订单通知')
      await at(phone, /\/user\/feedback\/[0-9a-f-]{36}$/)
      await desk.goto(phone.url().replace('/user/', '/merchant/'))
      await seen(talk(desk).getByText('换绑手机号之后收不到订单通知'))
      await seen(desk.getByText('林知夏'))
      await say(desk, '回复内容', '请问重新登录过吗？')
      await seen(talk(phone).getByText('请问重新登录过吗？'))
      await say(phone, '反馈内容', '登录过的')
      await seen(talk(desk).getByText('登录过的'))
    },
  },
  {
    name: 'a picture is sent in the conversation and opened on the other side',
    async run({ phone, desk, picture }) {
      const files = [{ name: 'order.jpg', mimeType: 'image/jpeg', buffer: await photo() }]
      await phone.locator('.compose input[type=file]').setInputFiles(files)
      await seen(phone.getByRole('list', { name: '待发送的图片' }))
      await press(phone, '发送')
      const shown = talk(desk).locator('.said-pictures img')
      await until(
        () => shown.evaluate((image: HTMLImageElement) => image.naturalWidth),
        (pixels) => pixels > 0,
      )
      await picture(phone, 'talk with a picture')
      await picture(desk, 'desk with a picture')
      await talk(desk).locator('.said-pictures button').first().click()
      await seen(desk.getByRole('dialog', { name: '查看图片' }))
      await picture(desk, 'picture opened')
      await press(desk, '关闭')
      await gone(desk.getByRole('dialog', { name: '查看图片' }))
    },
  },
  {
    name: 'a note for colleagues and an answer kept ready',
    async run({ desk, picture, version }) {
      // Folded where there is no room beside the conversation.
      await desk.getByRole('button', { name: /^内部备注/ }).click()
      await field(desk, '备注内容').fill('已联系仓库核实')
      await press(desk, '添加备注')
      await until(
        () => field(desk, '备注内容').inputValue(),
        (left) => left === '',
      )
      await seen(desk.getByText('已联系仓库核实'))
      await field(desk, '回复内容').fill(`请稍等，正在为您核实 ${version}`)
      await desk.getByRole('button', { name: /^快捷回复/ }).click()
      await desk.getByRole('button', { name: '存为快捷回复' }).click()
      await field(desk, '标题').fill(`请稍等 ${version}`)
      await picture(desk, 'answer kept ready')
      await press(desk, '保存')
      await toast(desk, '修改成功')
      await press(desk, '关闭')
      await press(desk, '发送')
    },
  },
  {
    name: 'the conversation is ended and rated with stars',
    async run({ phone, desk, picture }) {
      await press(desk, '已解决')
      await seen(phone.getByText('您的问题是否已解决？'))
      await press(phone, '已解决')
      await seen(phone.getByText('本次服务您还满意吗？'))
      await phone.locator('.stars label').nth(3).click()
      await field(phone, '补充说明（选填）').fill('回复很快')
      await picture(phone, 'rating')
      await press(phone, '提交评价')
      await toast(phone, '感谢您的评价')
      await seen(desk.getByText('回复很快'))
      await picture(desk, 'rated')
    },
  },
]
