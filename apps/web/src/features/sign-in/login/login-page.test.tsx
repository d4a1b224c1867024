// @vitest-environment happy-dom
import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { act } from 'react'
import { Route, Routes, useNavigate } from 'react-router'
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
import { sampleAgreements, sampleMeta, sampleUser, weChatAgent } from '../../../test/samples.ts'
import LoginPage from './login-page.tsx'

const signedOut = () => {
  throw new Refusal('NOT_LOGGED_IN')
}
const server: Answers = {
  '/api/user/info': signedOut,
  '/api/login/entry': ({ source }) => source ?? '/user',
  '/api/verifyCode/mobile': () => ({ retryAfter: 60 }),
  '/api/login/mobile': () => ({ id: 'u', created: false }),
  '/api/login/password': () => ({ id: 'u', created: false }),
}
const assigned = vi.fn<(address: string) => void>()

async function open({ answers = {}, path = '/login' }: { answers?: Answers; path?: string } = {}) {
  serve({ ...server, ...answers })
  await draw(<LoginPage />, path)
}
/** One step through the history of the tab. */
function Step({ words, to }: { words: string; to: string | number }) {
  const navigate = useNavigate()
  return (
    <button type="button" onClick={() => void navigate(to as string)}>
      {words}
    </button>
  )
}
const number = '13812345678'
async function sendCode() {
  await type('手机号', number)
  await press('发送验证码')
}
const refuse = (code: string, message: string, details?: Record<string, unknown>) => () => {
  throw new Refusal(code, message, details)
}

/** Draws until it is so. */
async function until(holds: () => boolean) {
  await vi.waitFor(
    async () => {
      await settle()
      expect(holds()).toBe(true)
    },
    { timeout: 20_000, interval: 1 },
  )
}

/** Answers with work to do, of the hardest kind that the server asks for but for the rounds of each step. */
async function needsWork(answer: () => unknown): Promise<Answers[string]> {
  const made = { algorithm: 'PBKDF2/SHA-256', cost: 5, counter: 6_399, deriveKey, hmacSignatureSecret: 'of the server' }
  const challenge = await createChallenge(made)
  return ({ proof }) => (proof ? answer() : refuse('PROOF_REQUIRED', '请完成人机验证', { challenge })())
}

beforeAll(async () => {
  // What comes lazily is there by the next turn.
  await Promise.all([
    import('./agree-first.tsx'),
    import('./confirm-account.tsx'),
    import('../wechat/wechat-way.tsx'),
    import('../../../identity/wechat/open-wechat.ts'),
  ])
})

beforeEach(async () => {
  await leave()
  sessionStorage.clear()
  useSentCodes.setState({ codes: [] })
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  assigned.mockReset()
  vi.spyOn(window.location, 'assign').mockImplementation((address) => assigned(String(address)))
})

describe('methods', () => {
  test('S012 D016 the first of the site is shown first, the title is 登录', async () => {
    await open()
    expect([find('h1')?.textContent, document.title]).toEqual(['手机号登录', '登录'])
    await leave()
    acceptMeta({ ...sampleMeta, methods: ['password', 'mobile'] })
    await open()
    expect(find('h1')?.textContent).toBe('密码登录')
  })
  test('S015 the switcher leads to the others and to their first field', async () => {
    await open()
    expect(all('.ways button').map((each) => each.textContent)).toEqual(['密码登录', '微信扫码'])
    await press('密码登录')
    expect([find('h1')?.textContent, document.activeElement]).toEqual(['密码登录', field('账号')])
    await press('手机号登录')
    expect([find('h1')?.textContent, document.activeElement]).toEqual(['手机号登录', field('手机号')])
  })
  test('S010 with one method there is no switcher', async () => {
    acceptMeta({ ...sampleMeta, methods: ['password'] })
    await open()
    expect(shownText()).not.toContain('其他登录方式')
  })
})

describe('mobile', () => {
  test('S083 S084 S085 S295 before a send: number, prefix and send button, no code and no countdown', async () => {
    await open()
    expect([hasField('手机号'), field('国家或地区代码').tagName, hasField('短信验证码')]).toEqual([
      true,
      'SELECT',
      false,
    ])
    expect([button('发送验证码') !== undefined, button('登录')]).toEqual([true, undefined])
    expect(shownText()).not.toMatch(/\d+ 秒/)
  })
  test('S307 S308 the number is of telephone type and keeps digits only', async () => {
    await open()
    await type('手机号', '+86 138-1234 5678')
    expect([field('手机号').type, field('手机号').value]).toEqual(['tel', number])
    expect(field('手机号').autocomplete).toBe('tel-national')
  })
  test('S309 S310 the prefix comes from the regions, first that of the device', async () => {
    useDevice.setState({ preference: { region: 'HK' } })
    await open()
    const options = [...field('国家或地区代码').querySelectorAll('option')].map((each) => each.textContent)
    expect(options).toEqual(['中国大陆 +86', '中国香港 +852'])
    expect(field('国家或地区代码').value).toBe('HK')
    await type('国家或地区代码', 'CN')
    await sendCode()
    expect(inputsOf('/api/verifyCode/mobile')).toEqual([{ mobilePrefix: '86', mobile: number }])
  })
  test('who has lost the number is led to another way', async () => {
    await open()
    expect(find('a[href="/recover"]')?.textContent).toBe('手机号已停用？')
    await press('密码登录')
    expect(find('a[href="/recover"]')).toBeNull()
  })
  test('the send button waits for a plausible number', async () => {
    await open()
    await type('手机号', '1381')
    expect(button('发送验证码')?.disabled).toBe(true)
    await type('手机号', '13812')
    expect(button('发送验证码')?.disabled).toBe(false)
  })
  test('未注册手机号验证后自动创建账号 shows only while registration is open', async () => {
    await open()
    expect(shownText()).toContain('未注册手机号验证后自动创建账号')
    await leave()
    acceptMeta({ ...sampleMeta, registration: 'closed' })
    await open()
    expect(shownText()).not.toContain('自动创建账号')
  })
  test('S086 S087 S296 after a send: code, countdown and 登录; the focus is in the code', async () => {
    await open()
    await sendCode()
    expect([document.activeElement === field('短信验证码'), button('登录')?.disabled]).toEqual([true, true])
    expect(shownText()).toContain('60 秒后可重发')
    expect(shownText()).toContain('验证码已发送，5 分钟内有效')
    expect(button('重新发送')).toBeUndefined()
  })
  test('S305 S306 the code takes six digits', async () => {
    await open()
    await sendCode()
    const { maxLength, pattern, inputMode, autocomplete } = field('短信验证码')
    expect({ maxLength, pattern, inputMode, autocomplete }).toEqual({
      maxLength: 6,
      pattern: '[0-9]{6}',
      inputMode: 'numeric',
      autocomplete: 'one-time-code',
    })
  })
  test('S402 the sixth digit signs in and leads to the source', async () => {
    await open({ path: '/login/%2Fuser%2Fdevice%3Fa%3D1' })
    await sendCode()
    await type('短信验证码', '48291')
    expect(inputsOf('/api/login/mobile')).toEqual([])
    await type('短信验证码', '482916')
    expect(inputsOf('/api/login/mobile')).toEqual([{ mobilePrefix: '86', mobile: number, code: '482916' }])
    expect(currentAddress()).toBe('/user/device?a=1')
  })
  test('D112 D114 hard work before a send and before a try is done by the page, which says so meanwhile', async () => {
    const answers = {
      '/api/verifyCode/mobile': await needsWork(() => ({ retryAfter: 60 })),
      '/api/login/mobile': await needsWork(() => ({ id: 'u', created: false })),
    }
    await open({ answers })
    await sendCode()
    await until(() => button('正在进行安全验证，请稍候…') !== undefined)
    await until(() => hasField('短信验证码'))
    await type('短信验证码', '482916')
    await until(() => button('正在进行安全验证，请稍候…') !== undefined)
    await until(() => currentAddress() === '/user')
    const login = { mobilePrefix: '86', mobile: number, code: '482916' }
    expect(inputsOf('/api/login/mobile')).toEqual([login, { ...login, proof: expect.any(String) }])
  }, 60_000)
  test('S406 S326 a wrong code shows the words of the server, stays selected, and typing clears it', async () => {
    await open({ answers: { '/api/login/mobile': refuse('CODE_WRONG', '验证码不正确') } })
    await sendCode()
    await type('短信验证码', '111111')
    const code = field('短信验证码')
    expect([alertText(), code.getAttribute('aria-invalid')]).toEqual(['验证码不正确', 'true'])
    expect([document.activeElement === code, code.selectionStart, code.selectionEnd]).toEqual([true, 0, 6])
    await type('短信验证码', '1')
    expect([alertText(), code.getAttribute('aria-invalid')]).toEqual([undefined, 'false'])
  })
  test('S406 S326 a refused number shows its reason under the number until that is edited', async () => {
    await open({ answers: { '/api/verifyCode/mobile': refuse('MOBILE_INVALID', '手机号格式不正确') } })
    await sendCode()
    expect([alertText(), field('手机号').getAttribute('aria-invalid')]).toEqual(['手机号格式不正确', 'true'])
    await type('手机号', '13812')
    expect(alertText()).toBeUndefined()
  })
  test('D055 a reload keeps number and countdown; editing the number goes back to before the send', async () => {
    await open()
    await sendCode()
    await open()
    expect([field('手机号').value, hasField('短信验证码')]).toEqual(['138 1234 5678', true])
    expect(shownText()).toMatch(/(59|60) 秒后可重发/)
    await type('手机号', '1381234567')
    expect([hasField('短信验证码'), button('发送验证码')?.disabled]).toEqual([false, false])
  })
  test('S292 a refused send says how long to wait and holds the button for as long', async () => {
    const limited = refuse('CODE_SEND_LIMITED', '发送过于频繁', { retryAfter: 45 })
    await open({ answers: { '/api/verifyCode/mobile': limited } })
    await sendCode()
    expect([alertText(), button('45 秒后可发送')?.disabled]).toEqual(['发送过于频繁', true])
  })
})

describe('password', () => {
  const fillIn = async () => {
    await type('账号', ' lin ')
    await type('密码', 'Qingyu#2026')
  }
  test('S088 S401 account and password sign in and lead to the source', async () => {
    acceptMeta({ ...sampleMeta, methods: ['password'] })
    await open({ path: '/login/%2Fuser%2Ftheme' })
    expect([field('账号').autocomplete, field('密码').autocomplete]).toEqual(['username', 'current-password'])
    await fillIn()
    await press('登录')
    expect(inputsOf('/api/login/password')).toEqual([{ account: 'lin', password: 'Qingyu#2026' }])
    expect(currentAddress()).toBe('/user/theme')
  })
  test('S406 S326 a failure is shown as said and cleared by editing either field', async () => {
    acceptMeta({ ...sampleMeta, methods: ['password'] })
    await open({ answers: { '/api/login/password': refuse('LOGIN_FAILED', '账号或密码不正确') } })
    for (const edited of ['账号', '密码']) {
      await fillIn()
      await press('登录')
      expect(alertText()).toBe('账号或密码不正确')
      await type(edited, 'x')
      expect(alertText()).toBeUndefined()
    }
  })
  test('the password can be looked at', async () => {
    acceptMeta({ ...sampleMeta, methods: ['password'] })
    await open()
    await press('显示密码')
    expect(field('密码').type).toBe('text')
    await press('隐藏密码')
    expect(field('密码').type).toBe('password')
  })
})

describe('agreements', () => {
  beforeEach(() => acceptMeta({ ...sampleMeta, agreements: sampleAgreements }))

  test('D015 D530 unticked, the sixth digit and 登录 ask in a dialog and sign no user in; 同意并继续 goes on', async () => {
    await open()
    await sendCode()
    await type('短信验证码', '482916')
    const asked = () => [find('dialog h2')?.textContent, inputsOf('/api/login/mobile')]
    expect(asked()).toEqual(['用户协议与隐私政策', []])
    await press('取消')
    expect([find('dialog'), inputsOf('/api/login/mobile')]).toEqual([null, []])
    await press('登录')
    expect(asked()).toEqual(['用户协议与隐私政策', []])
    await press('同意并继续')
    expect(inputsOf('/api/login/mobile')).toMatchObject([{ code: '482916', agreements: '2026-11' }])
    expect(currentAddress()).toBe('/user')
  })
  test('D530 同意并继续 after the sixth digit signs in without another tap', async () => {
    await open()
    await sendCode()
    await type('短信验证码', '482916')
    await press('同意并继续')
    expect(inputsOf('/api/login/mobile')).toMatchObject([{ code: '482916', agreements: '2026-11' }])
    expect(currentAddress()).toBe('/user')
  })
  test('D015 it is unticked at first; ticked, nothing asks', async () => {
    acceptMeta({ ...sampleMeta, methods: ['password'], agreements: sampleAgreements })
    await open()
    expect((find('.tick input') as HTMLInputElement).checked).toBe(false)
    expect(all('.tick a').map((link) => [link.getAttribute('href'), link.getAttribute('target')])).toEqual([
      ['https://a.example/terms', '_blank'],
      ['https://a.example/privacy', '_blank'],
    ])
    await act(async () => find('.tick input')?.click())
    await type('账号', 'lin')
    await type('密码', 'x')
    await press('登录')
    expect(inputsOf('/api/login/password')).toMatchObject([{ agreements: '2026-11' }])
  })
  test('D080 a new version asks again, though the former one was ticked', async () => {
    const site = { ...sampleMeta, methods: ['password' as const] }
    acceptMeta({ ...site, agreements: sampleAgreements })
    await open()
    await act(async () => find('.tick input')?.click())
    await act(async () => acceptMeta({ ...site, agreements: { ...sampleAgreements, version: '2027-01' } }))
    expect((find('.tick input') as HTMLInputElement).checked).toBe(false)
    await type('账号', 'lin')
    await type('密码', 'x')
    await press('登录')
    expect(inputsOf('/api/login/password')).toEqual([])
    await press('同意并继续')
    expect(inputsOf('/api/login/password')).toMatchObject([{ agreements: '2027-01' }])
  })
})

describe('entry', () => {
  test('S363 S365 the source is asked about once and not gone to', async () => {
    await open({ path: '/login/https%3A%2F%2Fshop.example%2F' })
    expect(inputsOf('/api/login/entry')).toEqual([{ source: 'https://shop.example/' }])
    expect([currentAddress(), assigned.mock.calls]).toEqual(['/login/https%3A%2F%2Fshop.example%2F', []])
    await sendCode()
    await type('短信验证码', '482916')
    expect(assigned).toHaveBeenCalledExactlyOnceWith('https://shop.example/')
  })
  test('S364 an address under /api/ is gone to at once', async () => {
    await open({ answers: { '/api/login/entry': () => '/api/login/wechat?source=%2Fuser' } })
    expect(assigned).toHaveBeenCalledExactlyOnceWith('/api/login/wechat?source=%2Fuser')
  })
  test('D017 without an answer the source is /user', async () => {
    await open({ answers: { '/api/login/entry': refuse('SERVICE_BUSY', '服务繁忙') }, path: '/login/%2Fuser%2Ftheme' })
    await sendCode()
    await type('短信验证码', '482916')
    expect(currentAddress()).toBe('/user')
  })
  test('D051 a signed-in visitor goes to the source at once', async () => {
    await open({ answers: { '/api/user/info': () => sampleUser }, path: '/login/%2Fuser%2Ftheme' })
    expect(currentAddress()).toBe('/user/theme')
  })
  test('the login page leaves no entry in the history: back leads to where it was opened from', async () => {
    serve(server)
    await draw(
      <Routes>
        <Route path="/help" element={<Step words="去登录" to="/login" />} />
        <Route path="/login" element={<LoginPage />} />
        <Route path="/user" element={<Step words="后退" to={-1} />} />
      </Routes>,
      '/help',
    )
    await press('去登录')
    await sendCode()
    await type('短信验证码', '482916')
    expect(currentAddress()).toBe('/user')
    await press('后退')
    expect(currentAddress()).toBe('/help')
  })
})

describe('inside WeChat', () => {
  beforeEach(() => {
    useDevice.setState({ userAgent: weChatAgent })
    acceptMeta({ ...sampleMeta, wechatEnabled: true })
  })
  const bindBox = () => find('.tick input') as HTMLInputElement | null

  test('S093 S094 S403 a ticked box; signing in goes by way of the binding', async () => {
    await open({ answers: { '/api/user/wechat/ticket': () => 't1' } })
    expect([shownText().includes('登录后绑定微信'), bindBox()?.checked]).toEqual([true, true])
    await sendCode()
    await type('短信验证码', '482916')
    expect(assigned).toHaveBeenCalledExactlyOnceWith('/api/user/wechat/binding?source=%2Fuser&ticket=t1')
  })
  test('S404 unticked it goes straight to the source', async () => {
    await open()
    await act(async () => bindBox()?.click())
    await sendCode()
    await type('短信验证码', '482916')
    expect([currentAddress(), assigned.mock.calls]).toEqual(['/user', []])
  })
  test('a tap on 微信登录 leads through WeChat to the source', async () => {
    await open({ path: '/login/%2Fuser%2Fdevice' })
    await press('微信登录')
    expect(assigned).toHaveBeenCalledExactlyOnceWith('/api/login/wechat?tap=1&source=%2Fuser%2Fdevice')
  })
  test('微信登录 asks for the agreements first, and shows only where the site offers it', async () => {
    acceptMeta({ ...sampleMeta, wechatEnabled: true, agreements: sampleAgreements })
    await open()
    await press('微信登录')
    expect(assigned).not.toHaveBeenCalled()
    await press('同意并继续')
    expect(assigned).toHaveBeenCalledOnce()
    acceptMeta({ ...sampleMeta, wechatEnabled: true, methods: ['mobile'] })
    await open()
    expect(button('微信登录')).toBeUndefined()
  })
  test('D052 who is just back from WeChat is not sent there again', async () => {
    const answers = { '/api/login/entry': () => '/api/login/wechat?source=%2Fuser' }
    await open({ answers, path: '/login?wechat=back' })
    expect(assigned).not.toHaveBeenCalled()
    expect(hasField('手机号')).toBe(true)
  })
  test('why WeChat led back is said, and only in words of our own', async () => {
    await open({ path: '/login?wechat=WECHAT_SNAPSHOT' })
    await vi.waitFor(() => expect(alertText()).toBe('请点击右下角「使用完整服务」后再试'))
    await open({ path: '/login?wechat=%E8%AF%B7%E8%BD%AC%E8%B4%A6' })
    expect(alertText()).toBeUndefined()
    expect(hasField('手机号')).toBe(true)
  })
  test('a user without an account chooses: a new one is made and entered, an existing one is signed in to and bound', async () => {
    const answers = {
      '/api/login/wechat/arrival': () => ({ nickname: '林小满' }),
      '/api/login/wechat/create': () => ({ id: 'u', created: true }),
      '/api/user/wechat/ticket': () => 't2',
    }
    await open({ answers, path: '/login?wechat=choose' })
    await vi.waitFor(() => expect(find('h1')?.textContent).toBe('首次使用微信登录'))
    expect(shownText()).toContain('林小满')
    await press('创建新账号')
    expect(inputsOf('/api/login/wechat/create')).toHaveLength(1)
    expect([currentAddress(), assigned.mock.calls]).toEqual(['/user', []])
    await open({ answers, path: '/login?wechat=choose' })
    await vi.waitFor(() => expect(button('绑定已有账号')).toBeDefined())
    await press('绑定已有账号')
    await sendCode()
    await type('短信验证码', '482916')
    expect(assigned).toHaveBeenCalledExactlyOnceWith('/api/user/wechat/binding?source=%2Fuser&ticket=t2')
  })
  test('an arrival that is over says so and leaves the way by an existing account', async () => {
    await open({
      answers: { '/api/login/wechat/arrival': refuse('WECHAT_EXPIRED', '微信授权已失效，请重试') },
      path: '/login?wechat=choose',
    })
    await vi.waitFor(() => expect(alertText()).toBe('微信授权已失效，请重试'))
    expect(button('创建新账号')).toBeUndefined()
    await press('绑定已有账号')
    expect(hasField('手机号')).toBe(true)
  })
  test('S405 outside, and on a site without WeChat, there is no box', async () => {
    acceptMeta(sampleMeta)
    await open()
    expect(bindBox()).toBeNull()
    await leave()
    useDevice.setState({ userAgent: 'Chrome' })
    acceptMeta({ ...sampleMeta, wechatEnabled: true })
    await open()
    expect(bindBox()).toBeNull()
  })
})

describe('a number that may have changed hands', () => {
  const asking = (confirm: Answers[string]): Answers => ({
    '/api/login/mobile': refuse('LOGIN_CONFIRM', '请确认', { ticket: 't1' }),
    '/api/login/confirm': confirm,
    '/api/login/confirm/sendEmailCode': () => ({ retryAfter: 60 }),
  })
  const reach = async (confirm: Answers[string]) => {
    await open({ answers: asking(confirm) })
    await sendCode()
    await type('短信验证码', '482916')
  }
  const needs = (details: Record<string, unknown>) => (input: Record<string, unknown>) => {
    if (input.password === 'right' || input.code === '654321' || input.sure) return { id: 'u', created: false }
    if (input.password || input.code) throw new Refusal('LOGIN_FAILED', '不正确')
    throw new Refusal('LOGIN_PROOF_NEEDED', '请再完成一项验证', details)
  }

  test('D071 D072 不是我的账号 answers so and signs in', async () => {
    await reach(() => ({ id: 'new', created: true }))
    expect(find('h1')?.textContent).toBe('该手机号此前注册过账号')
    expect(shownText()).toContain('将为您创建新账号，原账号保留其他登录方式')
    await press('不是我的账号')
    expect(inputsOf('/api/login/confirm')).toEqual([{ ticket: 't1', mine: false }])
    expect(currentAddress()).toBe('/user')
  })
  test('D072 是我的账号 asks for the password, and says when it is wrong', async () => {
    await reach(needs({ proofs: ['password'] }))
    await press('是我的账号')
    await type('密码', 'wrong')
    await press('登录')
    expect(alertText()).toBe('不正确')
    await type('密码', 'right')
    expect(alertText()).toBeUndefined()
    await press('登录')
    expect(inputsOf('/api/login/confirm').at(-1)).toEqual({ ticket: 't1', mine: true, password: 'right' })
    expect(currentAddress()).toBe('/user')
  })
  test('D072 or for a code mailed to the masked address', async () => {
    await reach(needs({ proofs: ['password', 'email'], email: 'zh****@a.example' }))
    await press('是我的账号')
    await press('改用邮箱验证码')
    expect(shownText()).toContain('zh****@a.example')
    await press('发送验证码')
    expect(inputsOf('/api/login/confirm/sendEmailCode')).toEqual([{ ticket: 't1' }])
    expect(shownText()).toContain('60 秒后可重发')
    await type('邮箱验证码', '654321')
    expect(inputsOf('/api/login/confirm').at(-1)).toEqual({ ticket: 't1', mine: true, code: '654321' })
    expect(currentAddress()).toBe('/user')
  })
  test('D114 work is done for a mailed code and for a password as well', async () => {
    const work = await needsWork(() => ({ id: 'u', created: false }))
    const wanted = needs({ proofs: ['password', 'email'], email: 'zh****@a.example' })
    await reach((input) => (input.password ? work(input) : wanted(input)))
    await press('是我的账号')
    await type('密码', 'right')
    await press('登录')
    await until(() => currentAddress() === '/user')
    expect(inputsOf('/api/login/confirm').at(-1)).toMatchObject({ password: 'right', proof: expect.any(String) })
  }, 60_000)
  test('D072 an account without another proof shows its masked nickname and asks again', async () => {
    await reach(needs({ proofs: [], nickname: '林**' }))
    await press('是我的账号')
    expect(shownText()).toContain('林**')
    await press('确认是我的账号')
    expect(inputsOf('/api/login/confirm').at(-1)).toEqual({ ticket: 't1', mine: true, sure: true })
  })
  test('an expired question leads back to the beginning, with the number and the reason', async () => {
    await reach(refuse('LOGIN_CONFIRM_EXPIRED', '确认已超时，请重新登录'))
    await press('不是我的账号')
    await settle()
    expect([alertText(), field('手机号').value, hasField('短信验证码')]).toEqual([
      '确认已超时，请重新登录',
      number,
      false,
    ])
  })
})
