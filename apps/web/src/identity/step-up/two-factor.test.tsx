// @vitest-environment happy-dom
import type { UserInfo } from '@hufu/contract/profile'
import { act } from 'react'
import { Link, Route, Routes } from 'react-router'
import { beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
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
import { Checked } from './checked.tsx'
import { useKeptInput } from './kept-input.ts'
import { afterProof, type CheckState, isComplete } from './two-factor.api.ts'
import TwoFactorPage from './two-factor-page.tsx'

const risk = '当前操作存在安全风险，需要进一步验证您的身份'
const ownNumber = '+86 13812345678'

/** A server that knows whether the check is made. */
function server(user: Partial<UserInfo> = {}, state: Partial<CheckState> = {}): Answers {
  let known: CheckState = { twoFactor: false, way: 'mobile', second: [], factors: [], ...state }
  return {
    '/api/user/info': () => ({ ...sampleUser, ...user, twoFactor: known.twoFactor }),
    '/api/user/twoFactor/state': () => known,
    '/api/user/twoFactor/sendMobileCode': () => ({ retryAfter: 60 }),
    '/api/user/twoFactor/sendEmailCode': () => ({ retryAfter: 60 }),
    '/api/user/twoFactor/verify': ({ code, password, way }) => {
      if (code === '000000' || password === 'wrong') throw new Refusal('CODE_WRONG', '验证码不正确')
      known = afterProof(known, password ? 'password' : ((way as 'email') ?? known.way ?? 'mobile'))
      return null
    },
  }
}

function Note() {
  const [text, setText] = useKeptInput('note', () => '')
  return <input aria-label="便笺" value={text} onChange={(event) => setText(event.target.value)} />
}
const places = (
  <Routes>
    <Route
      path="/user"
      element={
        <>
          起点
          <Link to="/secret">去</Link>
        </>
      }
    />
    <Route path="/secret" element={<Checked>{<Note />}</Checked>} />
    <Route path="/number" element={<Checked>号码</Checked>} />
    <Route path="/user/twoFactor/authorize" element={<SignedIn page={<TwoFactorPage />} />} />
  </Routes>
)
async function open(answers: Answers, path = '/user/twoFactor/authorize') {
  serve(answers)
  await draw(places, path)
}
async function go() {
  await act(async () => find('a[href="/secret"]')?.click())
  await settle()
}

beforeEach(async () => {
  await leave()
  sessionStorage.clear()
  useSentCodes.setState({ codes: [] })
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  window.history.replaceState({ idx: 5 }, '')
})

describe('rules', () => {
  const fresh: CheckState = { twoFactor: false, way: 'mobile', second: ['password'], factors: [] }
  test('the offered way completes the check, another kind only pays what a new browser owes', () => {
    expect(afterProof(fresh, 'mobile')).toEqual({ ...fresh, twoFactor: true })
    expect(afterProof(fresh, 'password')).toEqual({ ...fresh, second: [] })
    expect(afterProof({ ...fresh, way: 'email' }, 'email')).toMatchObject({ twoFactor: true, second: [] })
  })
  test('D073 a new browser is done after the second kind alone', () => {
    const first = afterProof(fresh, 'mobile')
    expect([isComplete(fresh), isComplete(first), isComplete({ ...first, second: [] })]).toEqual([false, false, true])
    expect(isComplete(afterProof(first, 'password'))).toBe(true)
  })
})

describe('page', () => {
  test('S043 S120 S121 S122 S123 the title, the reason, the own number read-only, and nothing but the send button', async () => {
    await open(server())
    expect([find('h1')?.textContent, document.title]).toEqual(['身份验证', '身份验证'])
    expect(shownText()).toContain(risk)
    expect([find('.prefix')?.textContent, field('手机号').value]).toEqual(['+86', '138 1234 5678'])
    expect(field('手机号').readOnly).toBe(true)
    expect([hasField('短信验证码'), button('验证'), button('发送验证码')?.disabled]).toEqual([false, undefined, false])
  })
  test('S124 S383 after sending: code, countdown and 验证, with the focus in the code', async () => {
    await open(server())
    await press('发送验证码')
    expect(inputsOf('/api/user/twoFactor/sendMobileCode')).toEqual([{}])
    expect([document.activeElement === field('短信验证码'), button('验证')?.disabled]).toEqual([true, true])
    expect(shownText()).toContain('60 秒后可重发')
    expect(button('发送验证码')).toBeUndefined()
  })
  test('S125 S126 S384 the sixth digit verifies, clears the stored code and goes back', async () => {
    await open(server(), '/user')
    await go()
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    await press('发送验证码')
    expect(lastReceiver('twoFactor')).toBe(ownNumber)
    await type('短信验证码', '48291')
    expect(inputsOf('/api/user/twoFactor/verify')).toEqual([])
    await type('短信验证码', '482916')
    expect(inputsOf('/api/user/twoFactor/verify')).toEqual([{ code: '482916' }])
    expect([currentAddress(), hasField('便笺'), lastReceiver('twoFactor')]).toEqual(['/secret', false, undefined])
    expect(find('[aria-label="便笺"]')).not.toBeNull()
  })
  test('S127 the back button goes two steps back, and to /user where there are none', async () => {
    await open(server(), '/user')
    await go()
    await press('返回')
    expect(currentAddress()).toBe('/user')
    window.history.replaceState({ idx: 1 }, '')
    await open(server(), '/secret')
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    await press('返回')
    expect(currentAddress()).toBe('/user')
  })
  test('S331 S411 a wrong code shows the words of the server, stays selected, and typing clears it', async () => {
    await open(server())
    await press('发送验证码')
    await type('短信验证码', '000000')
    const code = field('短信验证码')
    expect([alertText(), code.getAttribute('aria-invalid')]).toEqual(['验证码不正确', 'true'])
    expect([document.activeElement === code, code.selectionStart, code.selectionEnd]).toEqual([true, 0, 6])
    await type('短信验证码', '1')
    expect(alertText()).toBeUndefined()
  })
  test('S411 a refused send says why under the number and holds the button; a lost network is told too', async () => {
    const refuse = () => {
      throw new Refusal('CODE_SEND_LIMITED', '发送过于频繁', { retryAfter: 45 })
    }
    await open({ ...server(), '/api/user/twoFactor/sendMobileCode': refuse })
    await press('发送验证码')
    expect([alertText(), button('45 秒后可发送')?.disabled]).toEqual(['发送过于频繁', true])
    await leave()
    useSentCodes.setState({ codes: [] })
    const { '/api/user/twoFactor/sendMobileCode': _, ...offline } = server()
    await open(offline)
    await press('发送验证码')
    expect([alertText(), button('发送验证码')?.disabled]).toEqual(['网络异常，请稍后再试', false])
  })
  test('a reload keeps the code field and the countdown', async () => {
    await open(server())
    await press('发送验证码')
    await open(server())
    expect([hasField('短信验证码'), /(59|60) 秒后可重发/.test(shownText())]).toEqual([true, true])
  })
  test('who has lost the number is led to another way, before and after a send', async () => {
    await open(server())
    expect(find('a[href="/recover"]')?.textContent).toBe('手机号已停用？')
    await press('发送验证码')
    expect(find('a[href="/recover"]')).not.toBeNull()
    await open(server({ mobile: null, email: 'a@example.com' }, { way: 'email' }))
    expect(find('a[href="/recover"]')).toBeNull()
  })
  test('D058 without a mobile the code goes to the own address', async () => {
    await open(server({ mobile: null, mobilePrefix: null, email: 'lin@qingyu.example' }, { way: 'email' }))
    expect([field('电子邮箱').value, field('电子邮箱').readOnly]).toEqual(['lin@qingyu.example', true])
    await press('发送验证码')
    await type('邮箱验证码', '482916')
    expect(inputsOf('/api/user/twoFactor/verify')).toEqual([{ code: '482916', way: 'email' }])
  })
  test('D058 S331 S411 without both by password; a wrong one is told until it is edited', async () => {
    await open(server({ mobile: null, email: null }, { way: 'password' }))
    expect([field('登录密码').autocomplete, button('验证')?.disabled]).toEqual(['current-password', true])
    await type('登录密码', 'wrong')
    await press('验证')
    expect(alertText()).toBe('验证码不正确')
    await type('登录密码', 'Qingyu#2026')
    expect(alertText()).toBeUndefined()
    await press('验证')
    expect(inputsOf('/api/user/twoFactor/verify').at(-1)).toEqual({ password: 'Qingyu#2026' })
  })
  test('an account that has nothing to be checked with reads what to do', async () => {
    await open(server({ mobile: null, password: false }, { way: null }))
    expect(shownText()).toContain('使用微信重新登录')
    expect([all('input').length, button('退出登录') !== undefined]).toEqual([0, true])
  })
  test('trouble is told with a way to try again', async () => {
    const { '/api/user/twoFactor/state': _, ...offline } = server()
    await open(offline)
    expect(shownText()).toContain('网络异常，请稍后再试')
    serve(server())
    await press('重试')
    expect(button('发送验证码')).toBeDefined()
  })
  test('S337 a signed-out visitor is asked to sign in first', async () => {
    const signedOut = () => {
      throw new Refusal('NOT_LOGGED_IN')
    }
    await open({ ...server(), '/api/user/info': signedOut })
    expect(shownText()).toContain('请先登录')
    expect(inputsOf('/api/user/twoFactor/state')).toEqual([])
  })
})

describe('second kind', () => {
  const owed = () => server({ email: 'lin@qingyu.example' }, { second: ['password', 'email'] })
  test('D073 a new browser is asked for one kind more, says why, and offers the choice', async () => {
    await open(owed(), '/number')
    expect(shownText()).toContain(`第 1 步，共 2 步${risk}`)
    await press('发送验证码')
    await type('短信验证码', '482916')
    expect(shownText()).toContain('此浏览器首次登录未满72小时，此操作还需再验证一项')
    expect([field('登录密码').type, all('.seg label').map((each) => each.textContent)]).toEqual([
      'password',
      ['密码验证', '邮箱验证'],
    ])
    await act(async () => all('.seg input')[1]?.click())
    await press('发送验证码')
    await type('邮箱验证码', '112233')
    expect(inputsOf('/api/user/twoFactor/verify')).toEqual([{ code: '482916' }, { code: '112233', way: 'email' }])
    expect([currentAddress(), shownText()]).toEqual(['/number', '号码'])
  })
  test('D084 every page that wants a check wants both kinds of a new browser, and says what to do without', async () => {
    await open(owed(), '/secret')
    expect(shownText()).toContain('第 1 步，共 2 步')
    await press('发送验证码')
    await type('短信验证码', '482916')
    expect(shownText()).toContain('第 2 步，共 2 步')
    expect(shownText()).toContain('或在此浏览器登录满72小时后再试')
  })
})

describe('guard', () => {
  test('what was typed waits while a check that ran out is made again, and is gone after leaving', async () => {
    await open(server({}, { twoFactor: true }), '/user')
    await go()
    await type('便笺', '写到一半')
    serve(server())
    await act(async () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await settle()
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    await press('发送验证码')
    await type('短信验证码', '482916')
    expect([currentAddress(), field('便笺').value]).toEqual(['/secret', '写到一半'])
    serve(server())
    await act(async () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await settle()
    await press('返回')
    serve(server({}, { twoFactor: true }))
    await go()
    expect(field('便笺').value).toBe('')
  })
  test('another tab made the check: this one notices and goes back', async () => {
    await open(server(), '/user')
    await go()
    serve(server({}, { twoFactor: true }))
    await act(async () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await settle()
    expect([currentAddress(), field('便笺').value]).toEqual(['/secret', ''])
  })
})
