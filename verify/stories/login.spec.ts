import type { Page } from '@playwright/test'
import { expect, freshMobile, signInByCode, test } from './fixtures.ts'
import { signIn } from './session.ts'

const agreements = { terms: 'https://a.example/terms', privacy: 'https://a.example/privacy', version: '2026-11' }
const password = 'Qy#2026autumn'
const mobileField = (page: Page) => page.getByLabel('手机号', { exact: true })
const codeField = (page: Page) => page.getByLabel('短信验证码')
const logIn = (page: Page) => page.getByRole('button', { name: '登录', exact: true })

async function sendCode(page: Page, mobile: string) {
  await mobileField(page).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await expect(codeField(page)).toBeVisible()
}

async function byPassword(page: Page, account: string, secret = password) {
  const field = page.getByLabel('账号', { exact: true })
  const other = page.getByRole('button', { name: '密码登录' })
  await expect(field.or(other)).toBeVisible()
  if (await other.isVisible()) await other.click()
  await field.fill(account)
  await page.getByLabel('密码', { exact: true }).fill(secret)
  await logIn(page).click()
}

const seen = (page: Page, words: string) => page.getByText(words).filter({ visible: true }).first()

test('S005 S012 S083 S084 S085 S086 S087 S296 S402 a new number signs up and in', async ({ page, product, codeTo }) => {
  const site = await product.site()
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  await expect(page).toHaveTitle('登录')
  await expect(page.getByText('未注册手机号验证后自动创建账号')).toBeVisible()
  await expect(codeField(page)).toHaveCount(0)
  await expect(logIn(page)).toHaveCount(0)
  await sendCode(page, mobile)
  await expect(logIn(page)).toBeVisible()
  await expect(page.getByText(/\d+ 秒后可重发/)).toBeVisible()
  await codeField(page).fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user`)
  await expect(seen(page, `${mobile.slice(0, 3)}****${mobile.slice(-4)}`)).toBeVisible()
})

test('S010 S014 S015 S088 D016 methods show in the order of the meta, with a switcher to the others', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site({ methods: ['password', 'mobile'] })
  await page.goto(`${site.url}/login`)
  await expect(page.getByRole('heading', { name: '密码登录' })).toBeVisible()
  await expect(page.getByLabel('账号', { exact: true })).toBeVisible()
  await expect(page.getByLabel('密码', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: '手机号登录' }).click()
  await expect(page.getByRole('heading', { name: '手机号登录' })).toBeVisible()
  const only = await product.site({ methods: ['mobile'] })
  await page.goto(`${only.url}/login`)
  await expect(mobileField(page)).toBeVisible()
  // Passkeys are no method of the site.
  const others = page.getByRole('region', { name: '其他登录方式' }).getByRole('button')
  await expect(others).toHaveText(['使用通行密钥登录'])
})

test('S307 S308 S309 S310 the number: telephone type, digits alone, prefix from the regions', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site({ regions: ['HK', 'CN'] })
  await page.goto(`${site.url}/login`)
  await expect(mobileField(page)).toHaveAttribute('type', 'tel')
  const prefix = page.getByLabel('国家或地区代码')
  await expect(prefix).toHaveValue('HK')
  await prefix.selectOption({ label: '中国大陆 +86' })
  await mobileField(page).fill('+86 138-0013 8000')
  await expect(mobileField(page)).toHaveValue(/^138 ?0013 ?8000$/)
})

test('S305 S306 the code input takes six digits', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await page.goto(`${site.url}/login`)
  await sendCode(page, freshMobile())
  await expect(codeField(page)).toHaveAttribute('maxlength', '6')
  await expect(codeField(page)).toHaveAttribute('inputmode', 'numeric')
  await expect(codeField(page)).toHaveAttribute('autocomplete', 'one-time-code')
  expect(await codeField(page).getAttribute('pattern')).toMatch(/\[0-9\]|\\d/)
})

test('a wrong code five times: the message as it is, editing clears it, then a new code is needed', {
  tag: '@full',
}, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  await sendCode(page, mobile)
  const right = await codeTo(mobile)
  const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
  for (let tried = 0; tried < 5; tried++) {
    await codeField(page).fill(wrong)
    await expect(page.getByRole('alert')).toHaveText('验证码不正确或已失效，请核对后重新输入')
    await codeField(page).fill('')
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
  await codeField(page).fill(right)
  await expect(page.getByRole('alert')).toHaveText('验证码错误次数过多，请重新获取')
})

test('S292 S293 S294 S295 S429 D055 resend after 60 s; the countdown survives a reload; editing the number starts over', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  await expect(page.getByText(/秒后可重发/)).toHaveCount(0)
  await sendCode(page, mobile)
  await codeTo(mobile)
  const left = async () =>
    Number(/(\d+) 秒后可重发/.exec((await page.getByText(/秒后可重发/).textContent()) ?? '')?.[1])
  expect(await left()).toBeGreaterThan(50)
  await expect.poll(left).toBeLessThan(60)
  await page.reload()
  await expect(codeField(page)).toBeVisible()
  expect(await left()).toBeGreaterThan(40)
  await mobileField(page).fill(freshMobile())
  await expect(codeField(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: '发送验证码' })).toBeEnabled()
})

test('S293 once the interval has passed the code can be sent again', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const mobile = freshMobile()
  await page.clock.install()
  await page.goto(`${site.url}/login`)
  await sendCode(page, mobile)
  const first = await codeTo(mobile)
  await expect(page.getByRole('button', { name: '重新发送' })).toHaveCount(0)
  await site.query(
    "UPDATE receiver SET last_sent_at = last_sent_at - interval '61 seconds' WHERE site_id = $1 AND receiver = $2",
    [`+86${mobile}`],
  )
  await page.clock.runFor(61_000)
  await page.getByRole('button', { name: '重新发送' }).click()
  await expect(page.getByText(/秒后可重发/)).toBeVisible()
  await codeField(page).fill(first)
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('S006 S007 S401 password by username, e-mail and mobile number', async ({ page, product, context }) => {
  const site = await product.site()
  const user = {
    mobile: freshMobile(),
    email: `p${freshMobile()}@example.com`,
    username: `u${freshMobile()}`,
    password,
  }
  await site.createUser({ ...user, nickname: '林知夏' })
  for (const account of [user.username, user.email, user.mobile]) {
    await context.clearCookies()
    await page.goto(`${site.url}/login/${encodeURIComponent('/user/device')}`)
    await byPassword(page, account)
    await expect(page).toHaveURL(`${site.url}/user/device`)
  }
})

test('S326 S406 a wrong password shows the message as it is; editing clears it; the right one goes on', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site({ methods: ['password'] })
  const username = `u${freshMobile()}`
  await site.createUser({ username, password })
  await page.goto(`${site.url}/login`)
  await byPassword(page, username, 'Wrong#2026x')
  await expect(page.getByRole('alert')).toHaveText('账号或密码不正确，请核对后重新输入')
  await page.getByLabel('账号', { exact: true }).fill(`${username}x`)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await byPassword(page, username)
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('paused and back: after too many failures a proof of work is solved automatically, then all callers wait', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site({ methods: ['password'], limits: { passwordFailures: 1 } })
  const username = `u${freshMobile()}`
  await site.createUser({ username, password })
  await page.goto(`${site.url}/login`)
  await byPassword(page, username, 'Wrong#2026x')
  await expect(page.getByRole('alert')).toHaveText('账号或密码不正确，请核对后重新输入')
  await byPassword(page, username, 'Wrong#2026y')
  await expect(page.getByRole('alert')).toHaveText(/账号或密码不正确|密码错误次数过多/)
  await byPassword(page, username, 'Wrong#2026z')
  await expect(page.getByRole('alert')).toHaveText('密码错误次数过多，请稍后再试或改用验证码登录')
})

test('D015 with agreements the unticked box asks first and signs no user in', async ({ page, product, codeTo }) => {
  const site = await product.site({ agreements })
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  const box = page.getByRole('checkbox', { name: /我已阅读并同意/ })
  await expect(box).not.toBeChecked()
  await sendCode(page, mobile)
  let logins = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/login/mobile')) logins++
  })
  await codeField(page).fill(await codeTo(mobile))
  const dialog = page.getByRole('dialog', { name: '用户协议与隐私政策' })
  await expect(dialog).toBeVisible()
  expect(logins).toBe(0)
  await dialog.getByRole('button', { name: '取消' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL(`${site.url}/login`)
  await logIn(page).click()
  await dialog.getByRole('button', { name: '同意并继续' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
  expect(logins).toBe(1)
})

test('S013 D051 the source is kept; a signed-in visitor of /login and of / goes on at once', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  await signInByCode(page, site, codeTo, '/user/theme')
  await page.goto(`${site.url}/login/${encodeURIComponent('/user/device')}`)
  await expect(page).toHaveURL(`${site.url}/user/device`)
  await page.goto(`${site.url}/login`)
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('the login page leaves no entry in the history: back leads to the page before it', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  await page.goto(`${site.url}/user/device`)
  await expect(page.getByText('请先登录')).toBeVisible()
  await page.goto(`${site.url}/login`)
  const mobile = freshMobile()
  await sendCode(page, mobile)
  await codeField(page).fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user`)
  await page.goBack()
  await expect(page).toHaveURL(`${site.url}/user/device`)
  await expect(page).toHaveTitle('设备信息')
})

test('S020 / opened by a signed-in user goes to /user', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await signIn(page, site)
  await page.goto(site.url)
  await expect(page).toHaveURL(`${site.url}/user`)
})

for (const source of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/api/logout', '/login']) {
  const tag = source === '//evil.example' ? [] : '@full'
  test(`D017 D049 a refused source leads to /user: ${source}`, { tag }, async ({ page, product, codeTo }) => {
    const site = await product.site()
    await page.goto(`${site.url}/login/${encodeURIComponent(source)}`)
    const mobile = freshMobile()
    await sendCode(page, mobile)
    await codeField(page).fill(await codeTo(mobile))
    await expect(page).toHaveURL(`${site.url}/user`)
  })
}

test('S030 S423 signing out shows the toast and leads home', async ({ page, product }) => {
  const site = await product.site()
  await signIn(page, site)
  await page.getByRole('button', { name: '退出登录' }).click()
  await expect(page.getByText('已退出登录')).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/`)
  await expect(page.getByText('未登录')).toBeVisible()
})

test('S031 D061 pages under /user ask a visitor to sign in and come back', async ({ page, product, codeTo }) => {
  const site = await product.site()
  await page.goto(`${site.url}/user/device`)
  await expect(page.getByText('请先登录')).toBeVisible()
  await page.getByRole('link', { name: '立即登录' }).click()
  await expect(page).toHaveURL(`${site.url}/login/${encodeURIComponent('/user/device')}`)
  const mobile = freshMobile()
  await sendCode(page, mobile)
  await codeField(page).fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user/device`)
})

test.describe('a recycled number', () => {
  const stale = "UPDATE identity SET proved_at = now() - interval '91 days' WHERE site_id = $1 AND value = $2"

  test('D071 D072 是我的账号 asks for one more identity proof', async ({ page, product, codeTo }) => {
    const site = await product.site()
    const mobile = freshMobile()
    await site.createUser({ mobile, username: `u${mobile}`, password, nickname: '林知夏' })
    await site.query(stale, [`+86${mobile}`])
    await page.goto(`${site.url}/login`)
    await sendCode(page, mobile)
    await codeField(page).fill(await codeTo(mobile))
    await page.getByRole('button', { name: '是我的账号', exact: true }).click()
    await page.getByLabel('密码', { exact: true }).fill('Wrong#2026x')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText('账号或密码不正确，请核对后重新输入')
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${site.url}/user`)
    await expect(seen(page, '林知夏')).toBeVisible()
  })

  test('D072 不是我的账号 begins a new account', { tag: '@full' }, async ({ page, product, codeTo }) => {
    const site = await product.site()
    const mobile = freshMobile()
    await site.createUser({ mobile, username: `u${mobile}`, password, nickname: '林知夏' })
    await site.query(stale, [`+86${mobile}`])
    await page.goto(`${site.url}/login`)
    await sendCode(page, mobile)
    await codeField(page).fill(await codeTo(mobile))
    await page.getByRole('button', { name: '不是我的账号', exact: true }).click()
    await expect(page).toHaveURL(`${site.url}/user`)
    await expect(page.getByText('林知夏')).toHaveCount(0)
  })
})

test('D053 a number over the soft limit solves its proof of work unseen and gets its code', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site({
    limits: { addressProof: 0, addressHour: 1000, receiverHour: 1000, receiverDay: 1000 },
  })
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  await sendCode(page, mobile)
  await codeField(page).fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user`)
})
