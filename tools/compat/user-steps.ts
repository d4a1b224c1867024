import sharp from 'sharp'
import { at, choice, gone, press, seen, signInByCode, toast, until } from './page-actions.ts'
import type { Step, Walk } from './walk.ts'

export const password = 'Qy#2026autumn'

/** The step-up before a change, by a code to the user's own number. */
async function passCheck({ phone, mobile, codeTo, passMinute }: Walk): Promise<void> {
  await at(phone, '**/user/twoFactor/authorize')
  await passMinute(`+86${mobile}`)
  await phone.evaluate(() => sessionStorage.removeItem('sent_codes'))
  await phone.reload()
  await press(phone, '发送验证码')
  const field = phone.getByLabel('短信验证码')
  await seen(field)
  await field.fill(await codeTo(mobile))
}

const picture = () =>
  sharp({ create: { width: 800, height: 400, channels: 3, background: '#2f7d5b' } })
    .jpeg()
    .toBuffer()

const entering: Step[] = [
  {
    name: 'home leads to signing in',
    async run({ phone, web }) {
      await phone.goto(web)
      await seen(phone.getByText('未登录'))
      await phone.getByRole('link', { name: '立即登录' }).click()
      await seen(phone.getByRole('heading', { name: '手机号登录' }))
    },
  },
  {
    name: 'a region is chosen and the number keeps its digits',
    async run({ phone }) {
      const region = choice(phone, '国家或地区代码')
      await region.selectOption({ label: '中国香港 +852' })
      await phone.getByLabel('手机号', { exact: true }).fill('+852 5123-4567')
      await until(
        () => phone.getByLabel('手机号', { exact: true }).inputValue(),
        (value) => /^5123 ?4567$/.test(value),
      )
      await region.selectOption({ label: '中国大陆 +86' })
    },
  },
  {
    name: 'a new number signs up by an SMS code',
    vital: true,
    async run(walk) {
      const { phone, web, mobile } = walk
      await phone.getByText('登录后绑定微信').click()
      await signInByCode(walk, phone, mobile)
      await at(phone, `${web}/user`)
      await seen(phone.getByRole('link', { name: '手机号' }))
    },
  },
]

const settling: Step[] = [
  {
    name: 'a password is set after a check by code',
    async run(walk) {
      const { phone, web } = walk
      await phone.goto(`${web}/user`)
      await phone.locator('a[href="/user/changePassword"]').click()
      await passCheck(walk)
      await at(phone, `${web}/user/changePassword`)
      const both = async (text: string) => {
        for (const label of ['新密码', '确认新密码']) await phone.getByLabel(label, { exact: true }).fill(text)
      }
      await both('kurz')
      await seen(phone.locator('.broken', { hasText: '密码长度为8-16位' }))
      await both(password)
      await press(phone, '确认修改')
      await toast(phone, '修改成功')
      await at(phone, `${web}/user`)
    },
  },
  {
    name: 'the nickname is changed in place',
    async run({ phone, web }) {
      await phone.goto(`${web}/user`)
      await press(phone, '修改昵称')
      await phone.getByLabel('昵称', { exact: true }).fill('林知夏')
      await phone.keyboard.press('Enter')
      await toast(phone, '修改成功')
      await seen(phone.locator('.profile h2', { hasText: '林知夏' }))
    },
  },
  {
    name: 'a picture is cropped and becomes the avatar',
    async run({ phone, web }) {
      await phone.goto(`${web}/user`)
      const file = { name: 'me.jpg', mimeType: 'image/jpeg', buffer: await picture() }
      await phone.locator('input[type=file]').setInputFiles(file)
      const dialog = phone.getByRole('dialog', { name: '裁剪头像' })
      await seen(dialog)
      await press(phone, '确定')
      await toast(phone, '修改成功')
      await gone(dialog)
      const image = phone.locator('.profile .avatar img')
      const width = () => image.evaluate((element: HTMLImageElement) => element.naturalWidth)
      await until(width, (pixels) => pixels === 512)
    },
  },
  {
    name: 'theme and font size act at once and stay',
    async run({ phone, web }) {
      await phone.goto(`${web}/user/theme`)
      const choose = (group: string, name: string) =>
        phone
          .getByRole('radiogroup', { name: group })
          .locator('label')
          .filter({ hasText: new RegExp(`^${name}$`) })
          .click()
      const look = () =>
        phone.evaluate(
          () =>
            `${getComputedStyle(document.body).backgroundColor} ${getComputedStyle(document.documentElement).fontSize}`,
        )
      await choose('深色模式', '深色')
      await choose('字体大小', '特大')
      await until(look, (found) => found === 'rgb(13, 14, 17) 18px')
      await phone.reload()
      await until(look, (found) => found === 'rgb(13, 14, 17) 18px')
      await choose('深色模式', '跟随系统')
      await choose('字体大小', '标准')
      await until(look, (found) => found === 'rgb(243, 244, 247) 14px')
    },
  },
  {
    name: 'a press of 导出我的数据 makes the file',
    async run({ phone, web }) {
      await phone.goto(`${web}/user/privacy`)
      await press(phone, '导出我的数据')
      // A browser that is new to the account needs a second identity proof.
      await phone.getByLabel('登录密码', { exact: true }).fill(password)
      await press(phone, '验证')
      await at(phone, `${web}/user/privacy`)
      await seen(phone.getByText('导出完成'))
    },
  },
]

export const userSteps: Step[] = [...entering, ...settling]
