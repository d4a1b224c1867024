// @vitest-environment happy-dom
import type { UserInfo } from '@hufu/contract/profile'
import type { RecoveryStanding } from '@hufu/contract/recovery'
import { Route, Routes } from 'react-router'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../lib/device.ts'
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
import { Toaster } from '../../ui/toast.tsx'
import { useUser } from '../profile/profile.api.ts'
import { acceptMeta } from '../site/site.store.ts'
import { useSentCodes } from '../verify-code/sent-codes.ts'
import RecoverPage from './recover-page.tsx'
import { RecoveryBanner } from './recovery-banner.tsx'
import StopPage from './stop-page.tsx'
import { timeLeft } from './time-left.ts'

const hour = 3_600_000
const ready = new Date(2026, 10, 18, 15, 30).getTime()
const expires = new Date(2026, 10, 25, 15, 30).getTime()
const none: RecoveryStanding = { stage: 'none', ready: null, expires: null }
const waiting: RecoveryStanding = { stage: 'waiting', ready, expires }
const open: RecoveryStanding = { stage: 'ready', ready, expires }

/** Nobody is signed in; the account stands as told. */
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
    expect([document.title, step()]).toEqual(['找回账号', '第 1 步，共 4 步'])
    expect(all('.points li').map((each) => each.textContent)).toEqual([
      '登录密码您为账号设置过的密码',
      '邮箱验证码发送到账号绑定的电子邮箱',
      '72 小时等待期期间会通知账号的所有联系方式',
    ])
    expect(all('input')).toEqual([])
    expect(find('a[href="/login"]')?.textContent).toBe('返回登录')
  })

  test('password, mailed code, then the wait begins by a tap alone', async () => {
    await prove(server())
    expect(inputsOf('/api/recovery/open')).toEqual([{ account: 'zhixia', password: 'right' }])
    expect(inputsOf('/api/recovery/sendEmailCode')).toEqual([{ ticket: 'ticket' }])
    expect(inputsOf('/api/recovery/prove')).toEqual([{ ticket: 'ticket', code: '123456' }])
    expect([title(), step()]).toEqual(['申请找回', '第 4 步，共 4 步'])
    expect(inputsOf('/api/recovery/start')).toEqual([])
    await press('申请找回')
    expect(inputsOf('/api/recovery/start')).toEqual([{ ticket: 'ticket' }])
    expect(shownText()).toContain('11 月 18 日 15:30 之后')
    expect(shownText()).toContain('还需等待 3 天')
    expect(shownText()).toContain('请在 11 月 25 日 15:30 之前完成')
    expect(shownText()).toContain('再次验证密码和邮箱')
    expect(shownText()).toContain('如非本人操作')
    expect(find('a[href="/login/%2Fuser"]')).not.toBeNull()
  })

  test('one that waits already is told how long, and offers no second beginning', async () => {
    await prove(server({ ...waiting, ready: Date.now() + 50 * hour }))
    expect(shownText()).toContain('还需等待 2 天 2 小时')
    expect(button('申请找回')).toBeUndefined()
    expect(hasField('新手机号')).toBe(false)
  })

  test('after the wait a new number is proved and set; nobody is signed in', async () => {
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

  test('somebody who is signed in goes the same way, and is nobody here afterwards', async () => {
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
    expect(step()).toBe('第 1 步，共 4 步')
    sessionStorage.setItem('recovery', 'nonsense')
    await draw(<RecoverPage />, '/recover')
    expect(step()).toBe('第 1 步，共 4 步')
  })

  test('one step back keeps what was typed', async () => {
    await begin(server())
    await givePassword()
    await press('返回上一步')
    expect([field('账号').value, field('密码').value]).toEqual([' zhixia ', 'right'])
    await press('返回上一步')
    expect(step()).toBe('第 1 步，共 4 步')
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
    const contact = failing('RECOVERY_CONTACT', '自助找回需要账号同时绑定手机号和电子邮箱，请联系客服')
    await begin({ ...server(), '/api/recovery/open': contact })
    expect(find('a[href="https://www.qingyu.example/"]')?.textContent).toBe('前往青屿生活官网')
    await givePassword()
    expect(alertText()).toContain('请联系客服')
    expect(find('[role=alert] a[href="https://www.qingyu.example/"]')).not.toBeNull()
    expect(field('密码').getAttribute('aria-invalid')).toBe('false')
    await type('账号', 'another')
    expect(alertText()).toBeUndefined()
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
    expect([step(), alertText()]).toEqual(['第 2 步，共 4 步', '验证已超时，请重新开始'])
    expect(field('账号').value).toBe(' zhixia ')
  })

  test('one that was ended meanwhile leads back, too', async () => {
    await prove({ ...server(open), '/api/recovery/sendMobileCode': failing('RECOVERY_NONE', '没有进行中的找回申请') })
    await type('新手机号', '13912345678')
    await press('发送验证码')
    expect([step(), alertText()]).toEqual(['第 2 步，共 4 步', '没有进行中的找回申请'])
  })

  test("a number that is somebody else's is told at the number", async () => {
    await prove({ ...server(open), '/api/recovery/finish': failing('MOBILE_TAKEN', '该手机号已被其他账号使用') })
    await type('新手机号', '13912345678')
    await press('发送验证码')
    await type('短信验证码', '654321')
    await press('更换手机号')
    expect(field('新手机号').getAttribute('aria-invalid')).toBe('true')
    expect([alertText(), field('短信验证码').value]).toEqual(['该手机号已被其他账号使用', '654321'])
  })

  test('without a network the wait is not begun, and can be asked for again', async () => {
    const { '/api/recovery/start': _, ...cut } = server()
    await prove(cut)
    await press('申请找回')
    expect([title(), alertText()]).toEqual(['申请找回', '网络异常，请稍后再试'])
    expect(button('申请找回')?.getAttribute('aria-busy')).toBeNull()
  })
})

describe("the notice's link", () => {
  const token = 'a'.repeat(43)
  const page = (
    <Routes>
      <Route path="/recover/stop/:token" element={<StopPage />} />
    </Routes>
  )
  const openLink = async (answers: Answers) => {
    serve({ '/api/user/info': failing('NOT_LOGGED_IN', ''), ...answers })
    await draw(page, `/recover/stop/${token}`)
  }

  test('opening it does nothing', async () => {
    await openLink({ '/api/recovery/stop': () => null })
    expect(title()).toBe('有人申请更换您账号的手机号')
    expect(inputsOf('/api/recovery/stop')).toEqual([])
  })

  test('a tap stops it and leads to a new password', async () => {
    await openLink({ '/api/recovery/stop': () => null })
    await press('不是我，立即停止')
    expect(inputsOf('/api/recovery/stop')).toEqual([{ token }])
    expect(title()).toBe('已停止更换手机号')
    expect(find('a[href="/login/%2Fuser%2Fprotect"]')?.textContent).toBe('登录并修改密码')
  })

  test('who asked for it needs to do nothing', async () => {
    await openLink({ '/api/recovery/stop': () => null })
    await press('是我本人')
    expect([title(), inputsOf('/api/recovery/stop')]).toEqual(['无需任何操作', []])
    expect(find('a[href="/recover"]')).not.toBeNull()
  })

  test('a link that is used or old says so; trouble of the network can be tried again', async () => {
    await openLink({ '/api/recovery/stop': failing('NOTICE_EXPIRED', '该链接已使用或已过期') })
    await press('不是我，立即停止')
    expect([title(), shownText().includes('该链接已使用或已过期')]).toEqual(['无法停止', true])
    expect(button('不是我，立即停止')).toBeUndefined()
    await openLink({})
    await press('不是我，立即停止')
    expect(alertText()).toBe('网络异常，请稍后再试')
    expect(button('不是我，立即停止')).toBeDefined()
  })

  test('a link cut short by a mail program is told apart', async () => {
    await openLink({ '/api/recovery/stop': failing('INPUT_INVALID', '输入的内容有误') })
    await press('不是我，立即停止')
    expect(shownText()).toContain('链接不完整')
  })
})

describe('the banner of the user centre', () => {
  function Banner() {
    const { user } = useUser()
    return user ? <RecoveryBanner user={user} /> : null
  }
  const cancelPath = '/api/user/recovery/cancel'
  const show = async (user: Partial<UserInfo>, cancel: () => unknown = () => null) => {
    serve({ '/api/user/info': () => ({ ...sampleUser, ...user }), [cancelPath]: cancel })
    await draw(
      <>
        <Toaster />
        <Banner />
      </>,
    )
  }

  test('nobody recovers anything: nothing is shown', async () => {
    await show({})
    expect(find('.recovery-banner')).toBeNull()
  })

  test('after the wait it says so', async () => {
    await show({ recovery: Date.now() - hour })
    expect(shownText()).toContain('等待期已结束，可设置新手机号')
  })

  test('it tells from when, and asks before it ends it', async () => {
    await show({ recovery: ready })
    expect(shownText()).toContain('11 月 18 日 15:30 之后可设置新手机号')
    expect(shownText()).toContain('如非本人操作，请立即取消')
    await press('取消找回')
    expect(inputsOf(cancelPath)).toEqual([])
    await press('停止找回')
    expect(inputsOf(cancelPath)).toEqual([{}])
    expect(find('.recovery-banner')).toBeNull()
    expect(find('.toast')?.textContent).toContain('已停止找回')
  })

  test('a refusal stays in the dialog; one that is over already is as good', async () => {
    await show({ recovery: Date.now() + hour }, failing('SERVICE_BUSY', '服务繁忙，请稍后再试'))
    await press('取消找回')
    await press('停止找回')
    expect(alertText()).toBe('服务繁忙，请稍后再试')
    await show({ recovery: Date.now() + hour }, failing('RECOVERY_NONE', '没有进行中的找回申请'))
    await press('取消找回')
    await press('停止找回')
    expect(find('.recovery-banner')).toBeNull()
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
