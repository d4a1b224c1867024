// @vitest-environment happy-dom

import type { RecoveryStanding } from '@hufu/contract/recovery'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { act } from 'react'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../lib/device/device.ts'
import { useUser } from '../../session/profile.api.ts'
import { useSentCodes } from '../../session/sent-codes.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
  draw,
  failing,
  field,
  find,
  hasField,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  shownText,
  type,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import RecoverPage from './recover-page.tsx'
import { timeLeft } from './time-left.ts'

const hour = 3_600_000
const ready = new Date(2026, 10, 18, 15, 30).getTime()
const expires = new Date(2026, 10, 25, 15, 30).getTime()
const none: RecoveryStanding = { stage: 'none', purpose: null, protected: false, ready: null, expires: null }
const waiting: RecoveryStanding = { stage: 'waiting', purpose: 'mobile', protected: false, ready, expires }
const open: RecoveryStanding = { stage: 'ready', purpose: 'mobile', protected: false, ready, expires }

/** No user is signed in; the account stands as given. */
function server(standing: RecoveryStanding = none): Answers {
  return {
    '/api/user/info': failing('NOT_LOGGED_IN', ''),
    '/api/recovery/open': ({ password }) => {
      if (password !== 'right') throw new Refusal('LOGIN_FAILED', '账号或密码不正确')
      return { ticket: 'ticket', email: 'w****@mail.example' }
    },
    '/api/recovery/sendEmailCode': () => ({ retryAfter: 60 }),
    '/api/recovery/prove': ({ code }) => {
      if (code !== '123456') throw new Refusal('CODE_WRONG', '验证码不正确')
      return standing
    },
    '/api/recovery/start': () => waiting,
    '/api/recovery/sendMobileCode': () => ({ retryAfter: 60 }),
    '/api/recovery/finish': () => null,
  }
}

async function begin(answers: Answers) {
  serve(answers)
  await draw(<RecoverPage />, '/recover')
}
async function givePassword(password = 'right') {
  await press('开始找回')
  await type('账号', ' zhixia ')
  await type('密码', password)
  await press('下一步')
}
async function giveCode(code = '123456') {
  await press('发送验证码')
  await type('邮箱验证码', code)
}
async function prove(answers: Answers) {
  await begin(answers)
  await givePassword()
  await giveCode()
}
/** As in the product: what is known holds for a while, however many parts of a page ask for it. */
const patient = () => new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } })
const title = () => find('h1')?.textContent
const step = () => find('.recover-progress p')?.textContent

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 15, 15, 30) })
  await leave()
  sessionStorage.clear()
  useSentCodes.setState({ codes: [] })
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})
afterAll(() => void vi.useRealTimers())

describe('the way', () => {
  test('first it says what is needed, and asks for nothing', async () => {
    await begin(server())
    expect([document.title, step()]).toEqual(['找回账号', '第 1 步，共 5 步'])
    expect(all('.points li').map((each) => each.textContent)).toEqual([
      '登录密码您为账号设置过的密码',
      '邮箱验证码发送到账号绑定的电子邮箱',
      '72 小时等待期期间会通知账号的所有联系方式',
    ])
    expect(all('input')).toEqual([])
    expect(find('a[href="/login"]')?.textContent).toBe('返回登录')
  })

  test('D114 a mailed code that needs work is tried again with it', async () => {
    const made = { algorithm: 'PBKDF2/SHA-256', cost: 10, counter: 30, deriveKey, hmacSignatureSecret: 'of the server' }
    const challenge = await createChallenge(made)
    const guarded: Answers[string] = ({ proof }) => {
      if (!proof) throw new Refusal('PROOF_REQUIRED', '请完成人机验证', { challenge })
      return none
    }
    await prove({ ...server(), '/api/recovery/prove': guarded })
    await vi.waitFor(() => expect(title()).toBe('申请找回'), { timeout: 10_000 })
    expect(inputsOf('/api/recovery/prove')).toMatchObject([{}, { code: '123456', proof: expect.any(String) }])
  })

  test('password, mailed code, then the wait begins by a tap alone', async () => {
    await prove(server())
    expect(inputsOf('/api/recovery/open')).toEqual([{ account: 'zhixia', password: 'right' }])
    expect(inputsOf('/api/recovery/sendEmailCode')).toEqual([{ ticket: 'ticket' }])
    expect(inputsOf('/api/recovery/prove')).toEqual([{ ticket: 'ticket', code: '123456' }])
    expect([title(), step()]).toEqual(['申请找回', '第 4 步，共 5 步'])
    expect(inputsOf('/api/recovery/start')).toEqual([])
    await press('申请找回')
    expect(inputsOf('/api/recovery/start')).toEqual([{ ticket: 'ticket', purpose: 'mobile' }])
    expect(shownText()).toContain('11 月 18 日 15:30 之后')
    expect(shownText()).toContain('还需等待 3 天')
    expect(shownText()).toContain('请在 11 月 25 日 15:30 之前完成')
    expect(shownText()).toContain('再次验证密码和邮箱')
    expect(shownText()).toContain('如非本人操作')
    expect(find('a[href="/login/%2Fuser"]')?.textContent).toBe('登录并取消更换')
    expect([step(), all('.recover-progress .passed').length]).toEqual(['第 4 步，共 5 步', 4])
  })

  test('who would sign in with the new number meanwhile is warned, where that makes an account', async () => {
    const warning = '等待期间请勿用新手机号登录本站，否则会注册成另一个账号'
    await prove(server())
    expect(find('.notice.warn')?.textContent).toBe(warning)
    await press('申请找回')
    expect(find('.notice.warn')?.textContent).toBe(warning)
    await act(async () => acceptMeta({ ...sampleMeta, registration: 'closed' }))
    expect(find('.notice.warn')).toBeNull()
  })

  test('a page left open says when the wait is over, and goes on at the password', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: ready - 30_000 })
    await prove(server(waiting))
    expect([title(), shownText().includes('还需等待 1 分钟')]).toEqual(['正在等待', true])
    expect(button('继续设置新手机号')).toBeUndefined()
    await act(async () => void vi.advanceTimersByTime(30_000))
    expect([title(), shownText().includes('还需等待')]).toEqual(['等待期已结束', false])
    await press('继续设置新手机号')
    expect([step(), field('账号').value]).toEqual(['第 2 步，共 5 步', ' zhixia '])
    expect(sessionStorage.getItem('recovery')).toBeNull()
  })

  test.each([
    ['asking', none],
    ['waiting', waiting],
    ['the new number', open],
  ])('from %s there is a way back to the proofs', async (_stage, standing) => {
    await prove(server(standing))
    await press('重新验证')
    expect([step(), alertText()]).toEqual(['第 2 步，共 5 步', undefined])
    await draw(<RecoverPage />, '/recover')
    expect(step()).toBe('第 1 步，共 5 步')
  })

  test('a site without passwords offers people instead', async () => {
    acceptMeta({ ...sampleMeta, methods: ['mobile', 'wechat'], support: '400-820 8820' })
    await begin(server())
    expect([title(), button('开始找回')]).toEqual(['手机号已停用？', undefined])
    expect(shownText()).toContain('本站未开放密码登录，无法自助找回，请联系客服')
    expect(find('a[href^="tel:"]')).not.toBeNull()
  })

  test('who is signed in sees at once what was begun, and cancels it where they are signed in', async () => {
    let recovery: number | null = null
    const start = () => {
      recovery = ready
      return waiting
    }
    const info = () => ({ ...sampleUser, recovery })
    serve({ ...server(), '/api/user/info': info, '/api/recovery/start': start })
    const Known = () => <output>{String(useUser().user?.recovery)}</output>
    await draw(
      <QueryClientProvider client={patient()}>
        <RecoverPage />
        <Known />
      </QueryClientProvider>,
    )
    await givePassword()
    await giveCode()
    expect(find('output')?.textContent).toBe('null')
    await press('申请找回')
    expect(find('output')?.textContent).toBe(String(ready))
    expect(find('.recover-ways a[href="/user"]')?.textContent).toBe('前往用户中心取消更换')
  })

  test('one that waits already is told how long, and offers no second beginning', async () => {
    await prove(server({ ...waiting, ready: Date.now() + 50 * hour }))
    expect(shownText()).toContain('还需等待 2 天 2 小时')
    expect(button('申请找回')).toBeUndefined()
    expect(hasField('新手机号')).toBe(false)
  })

  test('after the wait a new number is proved and set; no user is signed in', async () => {
    await prove(server(open))
    expect(title()).toBe('设置新手机号')
    await type('新手机号', '139 1234 5678')
    await press('发送验证码')
    expect(inputsOf('/api/recovery/sendMobileCode')).toEqual([
      { ticket: 'ticket', mobilePrefix: '86', mobile: '13912345678' },
    ])
    await type('短信验证码', '654321')
    expect(inputsOf('/api/recovery/finish')).toEqual([])
    await press('更换手机号')
    expect(inputsOf('/api/recovery/finish')).toEqual([
      { ticket: 'ticket', mobilePrefix: '86', mobile: '13912345678', code: '654321' },
    ])
    expect([title(), find('a[href="/login"]')?.textContent]).toEqual(['手机号已更换', '去登录'])
    expect(sessionStorage.getItem('recovery')).toBeNull()
  })

  test('a signed-in user goes the same way, and is signed out here afterwards', async () => {
    let over = false
    const info = () => {
      if (over) throw new Refusal('NOT_LOGGED_IN')
      return sampleUser
    }
    const end = () => {
      over = true
      return null
    }
    serve({ ...server(open), '/api/user/info': info, '/api/recovery/finish': end })
    const Who = () => <output>{useUser().user?.nickname ?? '无人'}</output>
    await draw(
      <>
        <RecoverPage />
        <Who />
      </>,
    )
    expect(find('a[href="/user"]')?.textContent).toBe('返回用户中心')
    await givePassword()
    await giveCode()
    await type('新手机号', '13912345678')
    await press('发送验证码')
    expect(find('output')?.textContent).toBe('林知夏')
    await type('短信验证码', '654321')
    await press('更换手机号')
    expect(find('output')?.textContent).toBe('无人')
  })

  test('a reload in the middle goes on where it was; a ticket of long ago does not', async () => {
    await begin(server())
    await givePassword()
    await draw(<RecoverPage />, '/recover')
    expect([title(), shownText().includes('w****@mail.example')]).toEqual(['验证电子邮箱', true])
    const kept = JSON.parse(sessionStorage.getItem('recovery') ?? '{}') as object
    expect(JSON.stringify(kept)).not.toContain('right')
    sessionStorage.setItem('recovery', JSON.stringify({ ...kept, until: Date.now() - 1 }))
    await draw(<RecoverPage />, '/recover')
    expect(step()).toBe('第 1 步，共 5 步')
    sessionStorage.setItem('recovery', 'nonsense')
    await draw(<RecoverPage />, '/recover')
    expect(step()).toBe('第 1 步，共 5 步')
  })

  test('one step back keeps what was typed', async () => {
    await begin(server())
    await givePassword()
    await press('返回上一步')
    expect([field('账号').value, field('密码').value]).toEqual([' zhixia ', 'right'])
    await press('返回上一步')
    expect(step()).toBe('第 1 步，共 5 步')
  })
})

describe('refusals', () => {
  test('a wrong password is told at its field; nothing typed is lost', async () => {
    await begin(server())
    await givePassword('wrong')
    expect(alertText()).toBe('账号或密码不正确')
    expect([field('账号').value, field('密码').value]).toEqual([' zhixia ', 'wrong'])
    expect(field('密码').getAttribute('aria-invalid')).toBe('true')
  })

  test('browsers know what each field is for', async () => {
    await begin(server(open))
    await press('开始找回')
    expect([field('账号').autocomplete, field('密码').autocomplete]).toEqual(['username', 'current-password'])
  })

  test('an account without an address to prove by is told where help is', async () => {
    acceptMeta({ ...sampleMeta, site: 'https://www.qingyu.example/' })
    const contact = failing('RECOVERY_CONTACT', '此账号暂不支持自助找回，请联系客服')
    await begin({ ...server(), '/api/recovery/open': contact })
    expect(find('a[href="https://www.qingyu.example/"]')?.textContent).toBe('前往青屿生活官网')
    await givePassword()
    expect(alertText()).toContain('请联系客服')
    expect(find('[role=alert] a[href="https://www.qingyu.example/"]')).not.toBeNull()
    expect(field('密码').getAttribute('aria-invalid')).toBe('false')
    await type('账号', 'another')
    expect(alertText()).toBeUndefined()
  })

  test.each([
    ['https://help.example.com/chat', 'https://help.example.com/chat', '联系客服'],
    ['+86 400-820 8820', 'tel:+864008208820', '客服电话 +86 400-820 8820'],
  ])('where the operator names help, it is %s', async (support, href, words) => {
    acceptMeta({ ...sampleMeta, site: 'https://www.qingyu.example/', support })
    await begin(server())
    expect(all('.recover-ways a').map((each) => [each.getAttribute('href'), each.textContent])).toEqual([[href, words]])
  })

  test('too many wrong passwords: no other way to sign in is named, for there is none', async () => {
    const paused = failing('LOGIN_PAUSED', '密码错误次数过多，请稍后再试或改用验证码登录')
    await begin({ ...server(), '/api/recovery/open': paused })
    await givePassword()
    expect(alertText()).toBe('密码错误次数过多，请稍后再试')
  })

  test('a wrong code stays at the code', async () => {
    await begin(server())
    await givePassword()
    await giveCode('000000')
    expect([title(), alertText()]).toEqual(['验证电子邮箱', '验证码不正确'])
    await type('邮箱验证码', '123456')
    expect(title()).toBe('申请找回')
  })

  test('a send that is refused is told before there is a code field', async () => {
    const limited = failing('CODE_SEND_LIMITED', '验证码发送过于频繁')
    await begin({ ...server(), '/api/recovery/sendEmailCode': limited })
    await givePassword()
    await press('发送验证码')
    expect([alertText(), hasField('邮箱验证码')]).toEqual(['验证码发送过于频繁', false])
  })

  test.each([
    ['/api/recovery/sendEmailCode', none],
    ['/api/recovery/prove', none],
    ['/api/recovery/start', none],
    ['/api/recovery/sendMobileCode', open],
    ['/api/recovery/finish', open],
  ])('a ticket that is over at %s leads back to the password with a word', async (path, standing) => {
    await begin({ ...server(standing), [path]: failing('RECOVERY_EXPIRED', '验证已超时，请重新开始') })
    await givePassword()
    await press('发送验证码')
    if (hasField('邮箱验证码')) await type('邮箱验证码', '123456')
    if (button('申请找回')) await press('申请找回')
    if (hasField('新手机号')) {
      await type('新手机号', '13912345678')
      await press('发送验证码')
    }
    if (hasField('短信验证码')) {
      await type('短信验证码', '654321')
      await press('更换手机号')
    }
    expect([step(), alertText()]).toEqual(['第 2 步，共 5 步', '验证已超时，请重新开始'])
    expect(field('账号').value).toBe(' zhixia ')
  })

  test('one that was ended meanwhile leads back, too', async () => {
    await prove({
      ...server(open),
      '/api/recovery/sendMobileCode': failing('RECOVERY_NONE', '没有进行中的更换手机号申请'),
    })
    await type('新手机号', '13912345678')
    await press('发送验证码')
    expect([step(), alertText()]).toEqual(['第 2 步，共 5 步', '没有进行中的更换手机号申请'])
  })

  test('a number of another user is refused at the number', async () => {
    acceptMeta({ ...sampleMeta, site: 'https://www.qingyu.example/' })
    await prove({ ...server(open), '/api/recovery/finish': failing('MOBILE_TAKEN', '该手机号已被其他账号使用') })
    await type('新手机号', '13912345678')
    await press('发送验证码')
    await type('短信验证码', '654321')
    await press('更换手机号')
    expect(field('新手机号').getAttribute('aria-invalid')).toBe('true')
    expect([alertText(), field('短信验证码').value]).toEqual([
      '该号码已是另一个账号的手机号，请换一个号码，或先在那个账号中更换手机号',
      '654321',
    ])
    expect(find('a[href="https://www.qingyu.example/"]')).not.toBeNull()
    await type('新手机号', '13912345679')
    expect([alertText(), find('a[href="https://www.qingyu.example/"]')]).toEqual([undefined, null])
  })

  test('the number that the account has already is told so', async () => {
    await prove({ ...server(open), '/api/recovery/sendMobileCode': failing('UNCHANGED', '与当前使用的相同，无需修改') })
    await type('新手机号', '13912345678')
    await press('发送验证码')
    expect(alertText()).toBe('该号码就是原手机号，可直接用它登录')
    expect(find('.recover-ways')).toBeNull()
  })

  test('without a network the wait is not begun, and can be asked for again', async () => {
    const { '/api/recovery/start': _, ...cut } = server()
    await prove(cut)
    await press('申请找回')
    expect([title(), alertText()]).toEqual(['申请找回', '网络异常，请稍后再试'])
    expect(button('申请找回')?.getAttribute('aria-busy')).toBeNull()
  })
})

test.each([
  [72 * hour, { days: 3, hours: 0, minutes: 0 }],
  [72 * hour - 1000, { days: 3, hours: 0, minutes: 0 }],
  [25 * hour + 1, { days: 1, hours: 2, minutes: 0 }],
  [24 * hour, { days: 1, hours: 0, minutes: 0 }],
  [23 * hour + 59 * 60_000, { days: 0, hours: 23, minutes: 59 }],
  [61 * 60_000, { days: 0, hours: 1, minutes: 1 }],
  [1, { days: 0, hours: 0, minutes: 1 }],
  [-5 * hour, { days: 0, hours: 0, minutes: 1 }],
])('%s ms is so long', (length, told) => expect(timeLeft(1e12 + length, 1e12)).toEqual(told))

describe('a protected account', () => {
  const choose: RecoveryStanding = { ...none, protected: true }
  const begun: RecoveryStanding = { ...waiting, purpose: 'factor', protected: true }

  test('D173 is asked what was lost, after both proofs; the number is begun as before', async () => {
    await prove(server(choose))
    expect(find('h1')?.textContent).toBe('要找回什么？')
    expect(inputsOf('/api/recovery/start')).toEqual([])
    await press('手机号停用了')
    await press('申请找回')
    expect(inputsOf('/api/recovery/start')).toEqual([{ ticket: 'ticket', purpose: 'mobile' }])
  })
  test('D173 lost factors: the wait and what follows it are said in their own words', async () => {
    await prove({ ...server(choose), '/api/recovery/start': () => begun })
    await press('登录保护的验证方式丢了')
    expect(shownText()).toContain('提交 72 小时后，才可以移除登录保护')
    expect(shownText()).not.toContain('新手机号')
    await press('申请找回')
    expect(inputsOf('/api/recovery/start')).toEqual([{ ticket: 'ticket', purpose: 'factor' }])
    expect(shownText()).toContain('可移除登录保护的时间11 月 18 日 15:30 之后')
    expect(shownText()).not.toContain('新手机号')
  })
  test('D173 after the wait one tap removes them', async () => {
    const remove = '/api/recovery/removeFactors'
    await prove({ ...server({ ...begun, stage: 'ready' }), [remove]: () => null })
    expect([find('h1')?.textContent, inputsOf(remove)]).toEqual(['移除登录保护', []])
    await press('移除登录保护')
    expect(inputsOf(remove)).toEqual([{ ticket: 'ticket' }])
    expect([find('h1')?.textContent, shownText().includes('请尽快重新开启登录保护')]).toEqual(['登录保护已移除', false])
    expect(shownText()).toContain('请重新登录，并尽快重新开启登录保护')
  })
  test('D173 a refusal is said, one that ends the recovery at the beginning', async () => {
    const ready: RecoveryStanding = { ...begun, stage: 'ready' }
    const remove = '/api/recovery/removeFactors'
    await prove({ ...server(ready), [remove]: failing('INTERNAL_ERROR', '服务出现异常') })
    await press('移除登录保护')
    expect(alertText()).toBe('服务出现异常')
    serve({ ...server(ready), [remove]: failing('RECOVERY_EXPIRED', '验证已超时，请重新开始') })
    await press('移除登录保护')
    expect(shownText()).toContain('验证已超时，请重新开始')
  })
})
