// @vitest-environment happy-dom
import { passwordMessages, passwordSymbols } from '@hufu/contract/account-rules'
import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { act, type ReactNode } from 'react'
import { Link, Route, Routes } from 'react-router'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { lookOf } from '../../identity/new-password/password-rules.tsx'
import TwoFactorPage from '../../identity/step-up/two-factor-page.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { lastReceiver, useSentCodes } from '../../session/sent-codes.ts'
import { acceptMeta } from '../../site/site.store.ts'
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
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import ChangeEmailPage from './change-email-page.tsx'
import ChangeMobilePage from './change-mobile-page.tsx'
import ChangePasswordPage from './change-password-page.tsx'
import ChangeUsernamePage from './change-username-page.tsx'

const checked = { ...sampleUser, twoFactor: true }
const server: Answers = {
  '/api/user/info': () => checked,
  '/api/user/twoFactor/state': () => ({ twoFactor: true, way: 'mobile', second: [] }),
  '/api/verifyCode/email': () => ({ retryAfter: 60 }),
  '/api/verifyCode/mobile': () => ({ retryAfter: 60 }),
  '/api/user/account/changeEmail': () => null,
  '/api/user/account/changeMobile': () => null,
  '/api/user/account/changeUsername': () => null,
  '/api/user/account/changePassword': () => null,
}
const pages: Record<string, ReactNode> = {
  '/user/changeEmail': <ChangeEmailPage />,
  '/user/changeMobile': <ChangeMobilePage />,
  '/user/changeUsername': <ChangeUsernamePage />,
  '/user/changePassword': <ChangePasswordPage />,
  '/user/twoFactor/authorize': <TwoFactorPage />,
}
const changes = Object.keys(pages).slice(0, 4)
const refuse = (code: string, message: string, details?: Record<string, unknown>) => () => {
  throw new Refusal(code, message, details)
}

function App() {
  return (
    <>
      <Routes>
        <Route path="/user" element={changes.map((to) => <Link key={to} to={to} />)} />
        {Object.entries(pages).map(([path, page]) => (
          <Route key={path} path={path} element={<SignedIn page={page} />} />
        ))}
      </Routes>
      <Toaster />
    </>
  )
}
/** Opens the page from the user centre. */
async function open(path: string, answers: Answers = {}) {
  serve({ ...server, ...answers })
  await draw(<App />, '/user')
  await act(async () => find(`a[href="${path}"]`)?.click())
  await settle()
}
const changed = (path: string) => inputsOf(`/api/user/account/${path}`)

beforeEach(async () => {
  await leave()
  sessionStorage.clear()
  useSentCodes.setState({ codes: [] })
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  window.history.replaceState({ idx: 5 }, '')
})

describe('every page', () => {
  test.each(changes)('S039 S040 S041 S042 %s without a check leads to it', async (path) => {
    const state = { twoFactor: false, way: 'mobile', second: [] }
    await open(path, { '/api/user/info': () => sampleUser, '/api/user/twoFactor/state': () => state })
    expect([currentAddress(), find('h1')?.textContent]).toEqual(['/user/twoFactor/authorize', '身份验证'])
  })
  test.each([
    ['/user/changeMobile', '修改手机号'],
    ['/user/changePassword', '修改密码'],
    ['/user/changeEmail', '修改电子邮箱'],
    ['/user/changeUsername', '修改用户名'],
  ])('S035 S036 S037 S038 S099 S108 %s is titled %s', async (path, title) => {
    await open(path)
    expect([currentAddress(), find('h1')?.textContent, document.title]).toEqual([path, title, title])
  })
  test.each(changes)('S113 S335 %s asks a signed-out visitor first', async (path) => {
    await open(path, { '/api/user/info': refuse('NOT_LOGGED_IN', '请先登录') })
    expect(shownText()).toContain('请先登录')
    expect(all('input')).toEqual([])
  })
})

describe('e-mail', () => {
  const sendCode = async () => {
    await type('新电子邮箱', ' Lin@Qingyu.Example ')
    await press('发送验证码')
  }
  test('S100 S101 S102 S104 it takes effect at once; the present one; neither code nor 确认修改 yet', async () => {
    await open('/user/changeEmail')
    expect(shownText()).toContain('修改后立即生效')
    expect([find('.current dd')?.textContent, hasField('邮箱验证码'), button('确认修改')]).toEqual([
      '未设置',
      false,
      undefined,
    ])
    await open('/user/changeEmail', { '/api/user/info': () => ({ ...checked, email: 'old@qingyu.example' }) })
    expect(find('.current dd')?.textContent).toBe('old@qingyu.example')
  })
  test('S103 S105 S106 S107 after sending: code, countdown and 确认修改', async () => {
    await open('/user/changeEmail')
    expect(button('发送验证码')?.disabled).toBe(true)
    await sendCode()
    expect(inputsOf('/api/verifyCode/email')).toEqual([{ email: 'lin@qingyu.example', type: 'authorize' }])
    expect([document.activeElement === field('邮箱验证码'), button('确认修改')?.disabled]).toEqual([true, true])
    expect(shownText()).toContain('60 秒后可重发')
  })
  test('S387 D060 the change is made once, says 修改成功 and goes back; the new address is known at once', async () => {
    await open('/user/changeEmail')
    await sendCode()
    await type('邮箱验证码', '482916')
    expect(changed('changeEmail')).toEqual([])
    await press('确认修改')
    expect(changed('changeEmail')).toEqual([{ email: 'lin@qingyu.example', code: '482916' }])
    expect([currentAddress(), find('.toast')?.textContent, lastReceiver('authorize')]).toEqual([
      '/user',
      '修改成功',
      undefined,
    ])
  })
  test('editing the address after a send returns to the state before it', async () => {
    await open('/user/changeEmail')
    await sendCode()
    await type('新电子邮箱', 'other@qingyu.example')
    expect([hasField('邮箱验证码'), button('确认修改'), button('发送验证码')?.disabled]).toEqual([
      false,
      undefined,
      false,
    ])
  })
  test('S329 S408 what the server says stands at its field until any field is edited', async () => {
    await open('/user/changeEmail', {
      '/api/user/account/changeEmail': refuse('EMAIL_TAKEN', '该电子邮箱已被其他账号使用'),
    })
    await sendCode()
    await type('邮箱验证码', '482916')
    await press('确认修改')
    expect([alertText(), field('新电子邮箱').getAttribute('aria-invalid')]).toEqual([
      '该电子邮箱已被其他账号使用',
      'true',
    ])
    await type('邮箱验证码', '48291')
    expect(alertText()).toBeUndefined()
    serve({ ...server, '/api/user/account/changeEmail': refuse('UNCHANGED', '与当前使用的相同，无需修改') })
    await type('邮箱验证码', '482917')
    await press('确认修改')
    expect([alertText(), field('新电子邮箱').getAttribute('aria-invalid')]).toEqual([
      '与当前使用的相同，无需修改',
      'true',
    ])
    serve({ ...server, '/api/user/account/changeEmail': refuse('CODE_WRONG', '验证码不正确') })
    await type('邮箱验证码', '482916')
    await press('确认修改')
    expect([alertText(), field('邮箱验证码').getAttribute('aria-invalid')]).toEqual(['验证码不正确', 'true'])
  })
  test('D059 a check that ran out leads to it and comes back with address, code and countdown', async () => {
    await open('/user/changeEmail')
    await sendCode()
    await type('邮箱验证码', '482916')
    const state = { twoFactor: false, way: 'password', second: [] }
    serve({
      ...server,
      '/api/user/twoFactor/state': () => state,
      '/api/user/account/changeEmail': refuse('TWO_FACTOR_REQUIRED', '当前操作需要先验证您的身份'),
      '/api/user/twoFactor/verify': () => null,
    })
    await press('确认修改')
    expect([currentAddress(), alertText()]).toEqual(['/user/twoFactor/authorize', undefined])
    await type('登录密码', 'Qingyu#2026')
    await press('验证')
    expect(currentAddress()).toBe('/user/changeEmail')
    expect([field('新电子邮箱').value, field('邮箱验证码').value]).toEqual([' Lin@Qingyu.Example ', '482916'])
    expect(shownText()).toMatch(/\d+ 秒后可重发/)
  })
  test('a reload keeps address and countdown', async () => {
    await open('/user/changeEmail')
    await sendCode()
    await open('/user/changeEmail')
    expect([field('新电子邮箱').value, hasField('邮箱验证码')]).toEqual(['lin@qingyu.example', true])
  })
})

describe('a proof before a send', () => {
  test.each([
    ['/user/changeEmail', '新电子邮箱', 'lin@qingyu.example', '/api/verifyCode/email'],
    ['/user/changeMobile', '新手机号', '13912345678', '/api/verifyCode/mobile'],
  ])('D053 on %s it is solved unseen and goes with the second call', async (path, label, receiver, send) => {
    const challenge = await createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: 10,
      counter: 30,
      deriveKey,
      hmacSignatureSecret: 'of the server',
    })
    const guarded: Answers[string] = ({ proof }) =>
      proof ? { retryAfter: 60 } : refuse('PROOF_REQUIRED', '请完成人机验证', { challenge })()
    await open(path, { [send]: guarded })
    await type(label, receiver)
    await press('发送验证码')
    await vi.waitFor(() => expect(shownText()).toContain('60 秒后可重发'))
    expect(inputsOf(send)).toMatchObject([{}, { proof: expect.any(String) }])
  })
})

describe('username', () => {
  test('S109 S110 S111 the present one, an input with its rule, and 确认修改', async () => {
    await open('/user/changeUsername')
    expect([find('.current dd')?.textContent, button('确认修改')?.disabled]).toEqual(['zhixia', true])
    expect(shownText()).toContain('4-20位字母、数字或下划线，以字母开头')
    await open('/user/changeUsername', { '/api/user/info': () => ({ ...checked, username: null }) })
    expect(find('.current dd')?.textContent).toBe('未设置')
  })
  test('S112 S388 a change goes back one page', async () => {
    await open('/user/changeUsername')
    await type('新用户名', ' lin_zhixia ')
    await press('确认修改')
    expect(changed('changeUsername')).toEqual([{ username: 'lin_zhixia' }])
    expect([currentAddress(), find('.toast')?.textContent]).toEqual(['/user', '修改成功'])
  })
  test.each([
    ['USERNAME_TAKEN', '该用户名已被使用，请换一个'],
    ['USERNAME_INVALID', '用户名须为4-20位字母、数字或下划线，以字母开头'],
    ['UNCHANGED', '与当前使用的相同，无需修改'],
  ])('S330 S410 %s is shown as it is until the name is edited', async (code, message) => {
    await open('/user/changeUsername', { '/api/user/account/changeUsername': refuse(code, message) })
    await type('新用户名', 'lin')
    await press('确认修改')
    expect([alertText(), currentAddress()]).toEqual([message, '/user/changeUsername'])
    await type('新用户名', 'lin2')
    expect(alertText()).toBeUndefined()
  })
  test('S410 without a network it says so, and the name stays', async () => {
    const { '/api/user/account/changeUsername': _, ...offline } = server
    await open('/user/changeUsername')
    serve(offline)
    await type('新用户名', 'linzhixia')
    await press('确认修改')
    expect([alertText(), field('新用户名').value]).toEqual(['网络异常，请稍后再试', 'linzhixia'])
  })
})

describe('mobile', () => {
  test('S114 S115 S116 S385 number with prefix, code, and a button that sends the change', async () => {
    await open('/user/changeMobile')
    expect(find('.current dd')?.textContent).toBe('+86 138 1234 5678')
    await type('国家或地区代码', 'HK')
    await type('新手机号', '51234567')
    await press('发送验证码')
    expect(inputsOf('/api/verifyCode/mobile')).toEqual([{ mobilePrefix: '852', mobile: '51234567' }])
    await type('短信验证码', '482916')
    await press('确认修改')
    expect(changed('changeMobile')).toEqual([{ mobilePrefix: '852', mobile: '51234567', code: '482916' }])
    expect([currentAddress(), find('.toast')?.textContent]).toEqual(['/user', '修改成功'])
  })
  test('S327 S407 what the server says stands at its field until any field is edited', async () => {
    await open('/user/changeMobile', {
      '/api/user/account/changeMobile': refuse('MOBILE_TAKEN', '该手机号已被其他账号使用'),
    })
    await type('新手机号', '13900001111')
    await press('发送验证码')
    await type('短信验证码', '482916')
    await press('确认修改')
    expect([alertText(), field('新手机号').getAttribute('aria-invalid')]).toEqual(['该手机号已被其他账号使用', 'true'])
    await type('新手机号', '1390000111')
    expect(alertText()).toBeUndefined()
  })
  test('D073 a second kind that is too fresh is told here and leads to no check', async () => {
    await open('/user/changeMobile', {
      '/api/user/account/changeMobile': refuse('SECOND_TOO_FRESH', '登录方式在新设备上刚刚更改过'),
    })
    await type('新手机号', '13900001111')
    await press('发送验证码')
    await type('短信验证码', '482916')
    await press('确认修改')
    expect([alertText(), currentAddress()]).toEqual(['登录方式在新设备上刚刚更改过', '/user/changeMobile'])
  })
  test('D073 a browser that owes a second kind is led to the check', async () => {
    const state = { twoFactor: true, way: 'mobile', second: ['password'] }
    await open('/user/changeMobile', { '/api/user/twoFactor/state': () => state })
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    expect(shownText()).toContain('此操作还需再验证一项')
  })
})

describe('password', () => {
  const rule = (words: string) => all('.rules li').find((each) => each.textContent?.includes(words))?.className
  const good = 'Qy#2026autumn'
  test('S117 two fields for password managers, and a word about the other devices', async () => {
    await open('/user/changePassword')
    expect([field('新密码').autocomplete, field('确认新密码').autocomplete]).toEqual(['new-password', 'new-password'])
    expect(find<HTMLInputElement>('input[autocomplete=username]')?.value).toBe('zhixia')
    expect(shownText()).toContain('其他设备需要使用新密码重新登录')
  })
  test('without a password so far it is one that is set', async () => {
    await open('/user/changePassword', { '/api/user/info': () => ({ ...checked, password: false }) })
    expect(find('h1')?.textContent).toBe('设置密码')
  })
  test('the rules stand in the order symbols, length, must contain, mismatch', async () => {
    await open('/user/changePassword')
    await type('新密码', '密')
    await type('确认新密码', 'x')
    const shown = all('.rules li').map((each) => each.textContent)
    expect(shown).toEqual(Object.values(passwordMessages).map((message) => `${message}未满足`))
  })
  test.each([
    ['S297 7 characters', 'Qy#2026', passwordMessages.length],
    ['S297 17 characters', 'Qy#2026autumnabcd', passwordMessages.length],
    ['S299 no digit', 'Qy#autumn', passwordMessages.contain],
    ['S300 no letter', '2026#1234', passwordMessages.contain],
    ['S301 no symbol', 'Qy2026autumn', passwordMessages.contain],
    ['S303 a space', 'Qy#2026 autumn', passwordMessages.symbols],
    ['S303 another script', 'Qy#2026密码', passwordMessages.symbols],
  ])('S118 %s: the rule is marked and there is no button', async (_name, password, message) => {
    await open('/user/changePassword')
    await type('新密码', password)
    await type('确认新密码', password)
    expect([rule(message), button('确认修改')]).toEqual(['broken', undefined])
  })
  test('S304 a differing repetition is marked and there is no button', async () => {
    await open('/user/changePassword')
    await type('新密码', good)
    await type('确认新密码', 'Qy#2026winter')
    expect([rule(passwordMessages.mismatch), button('确认修改')]).toEqual(['broken', undefined])
  })
  test.each(['Qy#2026a', 'Qy#2026autumnabc', ...[...passwordSymbols].map((symbol) => `Autumn26${symbol}`)])(
    'S119 S298 S302 %s shows the button',
    async (password) => {
      await open('/user/changePassword')
      await type('新密码', password)
      expect(button('确认修改')).toBeUndefined()
      await type('确认新密码', password)
      expect([all('.rules .kept').length, button('确认修改') !== undefined]).toEqual([4, true])
    },
  )
  test('typing is not scolded: a short beginning is open, a foreign character is not', () => {
    expect(lookOf('length', { password: 'Qy#', repeated: '' })).toBe('open')
    expect(lookOf('contain', { password: 'Qy#', repeated: '' })).toBe('open')
    expect(lookOf('symbols', { password: '密', repeated: '' })).toBe('broken')
    expect(lookOf('mismatch', { password: good, repeated: 'Qy#' })).toBe('open')
    expect(lookOf('symbols', { password: '', repeated: '' })).toBe('open')
  })
  test('S386 S328 S409 the password alone is sent; what the server says goes when a field is edited', async () => {
    await open('/user/changePassword', {
      '/api/user/account/changePassword': refuse('SERVICE_BUSY', '服务繁忙，请稍后再试'),
    })
    await type('新密码', good)
    await type('确认新密码', good)
    await press('确认修改')
    expect([changed('changePassword'), alertText()]).toEqual([[{ password: good }], '服务繁忙，请稍后再试'])
    await type('确认新密码', 'Q')
    expect(alertText()).toBeUndefined()
  })
  test('D059 a check that ran out brings the typed password back, and no storage has seen it', async () => {
    await open('/user/changePassword')
    await type('新密码', good)
    await type('确认新密码', good)
    serve({
      ...server,
      '/api/user/twoFactor/state': () => ({ twoFactor: false, way: 'password', second: [] }),
      '/api/user/account/changePassword': refuse('TWO_FACTOR_REQUIRED', ''),
      '/api/user/twoFactor/verify': () => null,
    })
    await press('确认修改')
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain(good)
    await type('登录密码', 'Qingyu#2026')
    await press('验证')
    expect([field('新密码').value, field('确认新密码').value]).toEqual([good, good])
  })
})
