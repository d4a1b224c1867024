// @vitest-environment happy-dom
import { trustDays } from '@hufu/contract/factors'
import { act } from 'react'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { useSentCodes } from '../../../session/sent-codes.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
  currentAddress,
  draw,
  field,
  find,
  hasField,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
  type,
} from '../../../test/page.tsx'
import {
  givePasskeys,
  refused,
  samplePasskey,
  samplePasskeyOptions,
  sentPasskey,
  takePasskeys,
} from '../../../test/passkeys.ts'
import { sampleMeta, weChatAgent } from '../../../test/samples.ts'
import LoginPage from '../login/login-page.tsx'

const ticket = 'T'.repeat(43)
const totp = '验证器应用中的六位动态验证码'
const known = { ways: ['passkey', 'totp', 'recovery'], name: '林知夏', trust: true }
const refuse =
  (code: string, details?: object, message = code) =>
  () => {
    throw new Refusal(code, message, details as Record<string, unknown>)
  }
const protectedBy = (details: object = {}) => refuse('FACTOR_REQUIRED', { ticket, ...known, ...details })
const factor = '/api/login/factor'

const server: Answers = {
  '/api/user/info': refuse('NOT_LOGGED_IN'),
  '/api/login/entry': ({ source }) => source ?? '/user',
  '/api/verifyCode/mobile': () => ({ retryAfter: 60 }),
  '/api/login/mobile': protectedBy(),
  '/api/login/password': protectedBy(),
  '/api/login/factor/read': () => known,
  '/api/login/passkey/options': () => samplePasskeyOptions,
  [factor]: () => ({ id: 'u', created: false }),
}

async function open(answers: Answers = {}, path = '/login') {
  serve({ ...server, ...answers })
  await draw(<LoginPage />, path)
}
/** By a navigation, as WeChat leads here. */
const arrive = (answers: Answers = {}) => open(answers, `/login/second#${ticket}`)
async function giveCode() {
  await type('手机号', '13812345678')
  await press('发送验证码')
  await type('短信验证码', '482916')
}
const title = () => find('h1')?.textContent

beforeAll(async () => {
  // What comes lazily is there by the next turn.
  await Promise.all([
    import('./second-step.tsx'),
    import('../login/confirm-account.tsx'),
    import('../passkey/passkey-way.tsx'),
    import('../wechat/wechat-choice.tsx'),
    import('../wechat/wechat-outcome.tsx'),
    import('../../../identity/factor/passkey.ts'),
  ])
})
beforeEach(async () => {
  await leave()
  takePasskeys()
  sessionStorage.clear()
  useSentCodes.setState({ codes: [] })
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})

describe('it follows every first proof of a protected account', () => {
  test('D160 a code: it names the account, six digits submit by themselves, and the source is reached', async () => {
    await open({}, '/login/%2Fuser%2Fdevice')
    await giveCode()
    expect([title(), find('.person-line b')?.textContent]).toEqual(['两步验证', '林知夏'])
    expect(inputsOf('/api/login/factor/read')).toEqual([])
    await type(totp, '70412')
    expect(inputsOf(factor)).toEqual([])
    await type(totp, '704123')
    expect(inputsOf(factor)).toEqual([{ ticket, totp: '704123' }])
    expect(currentAddress()).toBe('/user/device')
  })
  test('D160 a password', async () => {
    acceptMeta({ ...sampleMeta, methods: ['password'] })
    await open()
    await type('账号', 'zhixia')
    await type('密码', 'right')
    await press('登录')
    expect(title()).toBe('两步验证')
  })
  test('D160 the answer whose account it is', async () => {
    await open({
      '/api/login/mobile': refuse('LOGIN_CONFIRM', { ticket: 't1' }),
      '/api/login/confirm': protectedBy(),
    })
    await giveCode()
    await press('是我的账号')
    expect(title()).toBe('两步验证')
  })
  test('D160 a new WeChat', async () => {
    const answers = {
      '/api/login/wechat/arrival': () => ({ nickname: '林小满' }),
      '/api/login/wechat/create': protectedBy(),
    }
    await open(answers, '/login?wechat=choose')
    await press('创建新账号')
    expect(title()).toBe('两步验证')
  })
  test('D160 the code of an authenticator can be pasted, and filled in by the browser', async () => {
    await arrive()
    const input = field(totp)
    expect([input.autocomplete, input.inputMode]).toEqual(['one-time-code', 'numeric'])
    const paste = new Event('paste', { bubbles: true, cancelable: true })
    Object.assign(paste, { clipboardData: { getData: () => '704 123' } })
    await act(async () => input.dispatchEvent(paste))
    await settle()
    expect(inputsOf(factor)).toEqual([{ ticket, totp: '704123' }])
  })
})

describe('by its address', () => {
  test('D161 the ticket of the fragment is read, and the source of the query is reached', async () => {
    await open({}, `/login/second?source=%2Fuser%2Ftheme#${ticket}`)
    expect(inputsOf('/api/login/factor/read')).toEqual([{ ticket }])
    await type(totp, '704123')
    expect(currentAddress()).toBe('/user/theme')
  })
  test('D161 inside WeChat it does not lead to WeChat again', async () => {
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined)
    useDevice.setState({ userAgent: weChatAgent })
    acceptMeta({ ...sampleMeta, wechatEnabled: true })
    await arrive({ '/api/login/entry': () => '/api/login/wechat?source=%2Fuser' })
    expect(title()).toBe('两步验证')
    expect(assign).not.toHaveBeenCalled()
  })
  test('D161 without a ticket it is the sign-in page', async () => {
    await open({}, '/login/second')
    expect(title()).toBe('手机号登录')
    expect(inputsOf('/api/login/entry')).toEqual([{}])
  })
  test('a lost network is said and tried again by a tap', async () => {
    let lost = true
    const read = () => (lost ? refuse('INTERNAL_ERROR', {}, '服务出现异常')() : known)
    await arrive({ '/api/login/factor/read': read })
    await vi.waitFor(() => expect(alertText()).toBe('服务出现异常'), { timeout: 9_000 })
    lost = false
    await press('重试')
    expect(hasField(totp)).toBe(true)
  }, 20_000)
})

describe('it can end without a session', () => {
  test('D162 an expired ticket leads back to the sign-in, with the reason', async () => {
    await arrive({ [factor]: refuse('FACTOR_EXPIRED') })
    await type(totp, '704123')
    expect([title(), alertText()]).toEqual(['手机号登录', '验证已超时，请重新登录'])
  })
  test('D162 also when it had expired before', async () => {
    await arrive({ '/api/login/factor/read': refuse('FACTOR_EXPIRED') })
    expect([title(), alertText()]).toEqual(['手机号登录', '验证已超时，请重新登录'])
  })
  test('D162 换个账号 leads back without a reason', async () => {
    await arrive()
    await press('换个账号')
    expect([title(), alertText()]).toEqual(['手机号登录', undefined])
  })
  test('D162 who has none of the ways is led to the recovery', async () => {
    await arrive()
    expect(find('a[href="/recover"]')?.textContent).toBe('申请找回账号')
  })
})

describe('what is wrong', () => {
  test('D163 a wrong code is said under its field and selected', async () => {
    await arrive({ [factor]: refuse('FACTOR_WRONG', {}, '验证未通过，请核对后重试') })
    await type(totp, '704123')
    expect(alertText()).toBe('验证未通过，请核对后重试')
    expect(field(totp).getAttribute('aria-describedby')).toBe(find('[role=alert]')?.id)
    await type(totp, '70412')
    expect(alertText()).toBeUndefined()
  })
  test('D163 too many: when to try again is said, and nothing typed is sent before', async () => {
    await arrive({ [factor]: refuse('FACTOR_PAUSED', { retryAfter: 480 }) })
    await type(totp, '704123')
    expect(alertText()).toBe('错误次数过多，请 8 分钟后再试')
    await type(totp, '70412')
    await type(totp, '704124')
    await press('恢复码')
    expect(alertText()).toBe('错误次数过多，请 8 分钟后再试')
    await type('恢复码', 'K7QD-X4MP-9WTR')
    expect(button('验证')?.disabled).toBe(true)
    expect(inputsOf(factor)).toHaveLength(1)
  })
  test('D163 a passkey is still accepted then', async () => {
    givePasskeys(async () => samplePasskey)
    await arrive({
      [factor]: ({ passkey }) =>
        passkey ? { id: 'u', created: false } : refuse('FACTOR_PAUSED', { retryAfter: 480 })(),
    })
    await type(totp, '704123')
    await press('通行密钥')
    expect(currentAddress()).toBe('/user')
  })
})

describe('the other ways', () => {
  test('D164 a recovery code, in any case and with or without hyphens, is sent by the button', async () => {
    await arrive()
    await press('恢复码')
    await type('恢复码', ' k7qdx4mp 9wtr ')
    expect(field('恢复码').value).toBe('K7QD-X4MP-9WTR')
    expect(inputsOf(factor)).toEqual([])
    await press('验证')
    expect(inputsOf(factor)).toEqual([{ ticket, recovery: 'K7QD-X4MP-9WTR' }])
    expect(currentAddress()).toBe('/user')
  })
  test('D164 a passkey, where the browser has them', async () => {
    givePasskeys(async () => samplePasskey)
    await arrive()
    expect(all('.ways button').map((way) => way.textContent)).toEqual(['通行密钥', '恢复码'])
    await press('通行密钥')
    expect(inputsOf(factor)).toEqual([{ ticket, passkey: sentPasskey }])
    expect(currentAddress()).toBe('/user')
  })
  test('D164 a request that was cancelled is said, and the form stays', async () => {
    givePasskeys(refused)
    await arrive()
    await press('通行密钥')
    expect(alertText()).toBe('未完成通行密钥验证，可重试或换一种方式')
    expect([hasField(totp), inputsOf(factor)]).toEqual([true, []])
  })
  test('D164 without passkeys in the browser, and inside WeChat, they are not offered', async () => {
    await arrive()
    expect(button('通行密钥')).toBeUndefined()
    givePasskeys(refused)
    useDevice.setState({ userAgent: weChatAgent })
    await arrive()
    expect(button('通行密钥')).toBeUndefined()
  })
  test('D164 an account with passkeys alone begins with them; elsewhere it is told why it cannot', async () => {
    const ways = { '/api/login/factor/read': () => ({ ...known, ways: ['passkey', 'recovery'] }) }
    await arrive(ways)
    expect(shownText()).toContain('此浏览器不支持通行密钥')
    expect(hasField('恢复码')).toBe(true)
    await arrive({ '/api/login/factor/read': () => ({ ...known, ways: ['passkey'] }) })
    expect(shownText()).toContain('此浏览器不支持通行密钥，请换用手机、电脑自带的浏览器')
    givePasskeys(async () => samplePasskey)
    await arrive(ways)
    await press('使用通行密钥')
    expect(inputsOf(factor)).toEqual([{ ticket, passkey: sentPasskey }])
  })
})

describe('a trusted browser', () => {
  test('D165 is offered where it may be one, and only a tick asks for it', async () => {
    await arrive()
    const box = find<HTMLInputElement>('.tick input')
    expect([box?.checked, shownText().includes(`${trustDays} 天内登录不再验证`)]).toEqual([false, true])
    await act(async () => box?.click())
    await type(totp, '704123')
    expect(inputsOf(factor)).toEqual([{ ticket, totp: '704123', trust: true }])
  })
  test('D165 and not offered elsewhere', async () => {
    await arrive({ '/api/login/factor/read': () => ({ ...known, trust: false }) })
    expect(find('.tick input')).toBeNull()
  })
})
