// @vitest-environment happy-dom
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { inForce } from '../../lib/device/device-rules.ts'
import { useSessionEnd } from '../../session/profile.api.ts'
import { noteSent, useSentCodes } from '../../session/sent-codes.ts'
import { useAccountPreference } from '../../session/use-account-preference.ts'
import { maskEmail, nameOf, pictureOf, shownMobile } from '../../session/user.ts'
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
import HomePage from '../home/home-page.tsx'
import UserPage from './user-page.tsx'

/** A server that knows this user until sign-out. */
function signedIn(user = sampleUser): Answers {
  let known = true
  return {
    '/api/user/info': () => {
      if (!known) throw new Refusal('NOT_LOGGED_IN')
      return user
    },
    '/api/logout': () => {
      known = false
      return null
    },
    '/api/user/token/list': () => ({ count: 4, data: [] }),
  }
}
const refused = (code: string, message = code): Answers => ({
  '/api/user/info': () => {
    throw new Refusal(code, message)
  },
})

function App() {
  useAccountPreference()
  useSessionEnd()
  return (
    <>
      <Routes>
        <Route path="/" element={<HomePage />} />
        <Route path="/user/*" element={<SignedIn page={<UserPage />} />} />
      </Routes>
      <Toaster />
    </>
  )
}
async function open(path: string, answers: Answers) {
  serve(answers)
  await draw(<App />, path)
}

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('name', () => {
  test.each([
    [{}, '林知夏'],
    [{ nickname: null }, '夏天的风'],
    [{ nickname: null, wechatNickname: null }, '138****5678'],
    [{ nickname: null, wechatNickname: null, mobile: null }, 'zhixia'],
  ])('without %j it is %s', (missing, name) => expect(nameOf({ ...sampleUser, ...missing })).toBe(name))
  test('the mobile is shown masked', () => {
    expect(shownMobile(sampleUser)).toBe('+86 138****5678')
    expect(shownMobile({ mobilePrefix: null, mobile: null })).toBeUndefined()
  })
})

test.each([
  ['zhixia@qingyu.example', 'zh****@qingyu.example'],
  ['ab@c.cn', 'a****@c.cn'],
])('%s is shown as %s', (email, shown) => expect(maskEmail(email)).toBe(shown))

test('a new picture is a new address', () => {
  const { id } = sampleUser
  expect(pictureOf({ id, avatar: true, avatarTime: 7 })).toBe(`/api/avatar?id=${id}&t=7`)
  expect(pictureOf({ id, avatar: false, avatarTime: null })).toBeUndefined()
})

describe('pages for signed-in people', () => {
  test('D061 a signed-out visitor reads 请先登录 and is led back to this very page', async () => {
    await open('/user/device?a=1', refused('NOT_LOGGED_IN'))
    expect(shownText()).toContain('请先登录')
    const link = all('a').find((each) => each.textContent === '立即登录')
    expect(link?.getAttribute('href')).toBe('/login/%2Fuser%2Fdevice%3Fa%3D1')
    expect(find('.me')).toBeNull()
  })
  test('a session ended from elsewhere reads 已下线，请重新登录', async () => {
    await open('/user', refused('SESSION_REMOVED'))
    expect(shownText()).toContain('已下线，请重新登录')
    expect(shownText()).toContain('立即登录')
  })
  test('another failure is told with a way to try again, not taken for signed out', async () => {
    await open('/user', refused('SERVICE_BUSY', '服务繁忙，请稍后再试'))
    expect(shownText()).toContain('服务繁忙，请稍后再试')
    expect(shownText()).not.toContain('请先登录')
    serve(signedIn())
    await press('重试')
    expect(find('h2')?.textContent).toBe('林知夏')
  })
  test('a signed-in person sees the page, and the name in the navigation', async () => {
    await open('/user', signedIn())
    expect(shownText()).toContain('+86 138****5678')
    expect(find('.nav .me')?.textContent).toBe('林林知夏')
  })
  test('S070 S071 the back-office shows with MERCHANT READ alone', async () => {
    await open('/user', signedIn())
    expect(find('a[href="/merchant"]')).toBeNull()
    await open('/user', signedIn({ ...sampleUser, permission: { MERCHANT: ['READ'] } }))
    expect(find('a[href="/merchant"]')?.textContent).toBe('管理后台')
  })
})

test('S020 home leads a signed-in visitor to /user', async () => {
  await open('/', signedIn())
  expect(currentAddress()).toBe('/user')
})

/** The next call is answered that the session is over. */
async function endElsewhere() {
  const over = refused('SESSION_REMOVED')
  serve({ ...over, '/api/user/info/changeNickname': over['/api/user/info'] ?? (() => null) })
  await press('修改昵称')
  await type('昵称', '夏')
  await press('保存')
}

describe('sign-out', () => {
  test('S423 ends the session, says 已退出登录 and goes to /', async () => {
    await open('/user', signedIn())
    await press('退出登录')
    expect(inputsOf('/api/logout')).toHaveLength(1)
    expect(currentAddress()).toBe('/')
    expect(shownText()).toContain('已退出登录')
    expect(shownText()).toContain('未登录')
  })
  test('a session that is over already is as good', async () => {
    await open('/user', signedIn())
    serve({
      ...refused('SESSION_REMOVED'),
      '/api/logout': refused('SESSION_REMOVED')['/api/user/info'] ?? (() => null),
    })
    await press('退出登录')
    expect(currentAddress()).toBe('/')
  })
  test.each([
    ['by a tap', () => press('退出登录')],
    ['because the session was ended elsewhere', () => endElsewhere()],
  ])('takes the numbers that codes went to out of the tab: %s', async (_title, goAway) => {
    await open('/user', signedIn())
    noteSent('+8613912345678', 'changeMobile', 60)
    expect(sessionStorage.getItem('sent_codes')).toContain('13912345678')
    await goAway()
    expect([sessionStorage.getItem('sent_codes'), useSentCodes.getState().codes]).toEqual(['[]', []])
  })
  test('without a network nothing changes but a toast', async () => {
    await open('/user', { '/api/user/info': () => sampleUser })
    await press('退出登录')
    expect(currentAddress()).toBe('/user')
    expect(find('.toast')?.textContent).toBe('网络异常，请稍后再试')
  })
})

test('D062 the account fills what this device leaves open, until sign-out', async () => {
  await open('/user', signedIn({ ...sampleUser, preference: { dark: true, fontSize: 18 } }))
  expect(inForce(useDevice.getState())).toEqual({ dark: true, fontSize: 18 })
  await press('退出登录')
  expect(inForce(useDevice.getState())).toEqual({})
})

describe('what was being written', () => {
  const drafts = (id: string) => [`config_draft:${id}`, `feedback_draft:${id}:user:new`, `feedback_draft:${id}:note:1`]
  const kept = (id: string) => drafts(id).filter((name) => sessionStorage.getItem(name) !== null)
  const write = (id: string) => {
    for (const name of drafts(id)) sessionStorage.setItem(name, '{}')
  }

  test('is there until its person goes, and not after', async () => {
    write(sampleUser.id)
    await open('/user', signedIn(sampleUser))
    expect(kept(sampleUser.id)).toEqual(drafts(sampleUser.id))
    await press('退出登录')
    expect(kept(sampleUser.id)).toEqual([])
  })

  test('is gone when another person is signed in, however the former one went', async () => {
    write('another-user')
    write(sampleUser.id)
    await open('/user', signedIn(sampleUser))
    expect(kept('another-user')).toEqual([])
    expect(kept(sampleUser.id)).toEqual(drafts(sampleUser.id))
  })
})

describe('user centre', () => {
  const rows = () => all('a.row').map((row) => [row.querySelector('.name')?.textContent, row.getAttribute('href')])
  const values = () => all('a.row .value').map((value) => value.textContent)

  test('S024 S025 S026 S029 rows like settings, each leading to its page', async () => {
    await open('/user', signedIn({ ...sampleUser, email: 'zhixia@qingyu.example' }))
    expect(find('.profile h2')?.textContent).toBe('林知夏')
    expect(find('.profile .avatar')?.textContent).toBe('林')
    expect(rows()).toEqual([
      ['手机号', '/user/changeMobile'],
      ['登录密码', '/user/changePassword'],
      ['电子邮箱', '/user/changeEmail'],
      ['用户名', '/user/changeUsername'],
      ['登录保护', '/user/protection'],
      ['登录设备', '/user/onlineDevices'],
      ['安全记录', '/user/security'],
      ['隐私与数据', '/user/privacy'],
      ['关于本机', '/user/device'],
    ])
    expect(values()).toEqual(['138****5678', '已设置', 'zh****@qingyu.example', 'zhixia', '未开启', '4 台', '', '', ''])
  })
  test('what isn’t set says so in grey', async () => {
    await open('/user', signedIn({ ...sampleUser, mobile: null, username: null, password: false }))
    expect(values()).toEqual(['未设置', '未设置', '未设置', '未设置', '未开启', '4 台', '', '', ''])
    expect(all('.value.unset')).toHaveLength(5)
  })
  test('D175 the user centre says whether signing in takes a second step', async () => {
    await open('/user', signedIn({ ...sampleUser, protected: true }))
    const row = find('a[href="/user/protection"]')
    expect([row?.textContent, row?.querySelector('.unset')]).toEqual(['登录保护已开启', null])
  })
  test('S024 the picture shows here and in the navigation; a broken one falls back to the initial', async () => {
    await open('/user', signedIn({ ...sampleUser, avatar: true, avatarTime: 7 }))
    const pictures = all('.avatar img')
    expect(pictures.map((each) => each.getAttribute('src'))).toEqual(
      Array(2).fill(`/api/avatar?id=${sampleUser.id}&t=7`),
    )
    await act(async () => pictures[0]?.dispatchEvent(new Event('error')))
    expect([all('.avatar img').length, find('.nav .avatar')?.textContent]).toEqual([1, '林'])
  })
})

describe('nickname', () => {
  const change = '/api/user/info/changeNickname'
  const editing = () => find('.profile form') !== null
  const key = (name: string) =>
    act(async () => field('昵称').dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })))

  test('S381 is edited in place, cleaned, saved and shown everywhere at once', async () => {
    await open('/user', { ...signedIn(), [change]: () => null })
    await press('修改昵称')
    expect(field('昵称').value).toBe('林知夏')
    await type('昵称', '  夏\u200b天  ')
    await press('保存')
    expect(inputsOf(change)).toEqual([{ nickname: '夏天' }])
    expect([editing(), find('.profile h2')?.textContent, find('.nav .me')?.textContent]).toEqual([
      false,
      '夏天',
      '夏夏天',
    ])
    expect(find('.toast')?.textContent).toBe('修改成功')
    expect(document.activeElement).toBe(button('修改昵称'))
  })
  test('S315 S316 name and placeholder fall back to the messaging app’s', async () => {
    await open('/user', signedIn({ ...sampleUser, nickname: null }))
    expect(find('.profile h2')?.textContent).toBe('夏天的风')
    await press('修改昵称')
    expect([field('昵称').value, field('昵称').placeholder]).toEqual(['', '夏天的风'])
    await open('/user', signedIn({ ...sampleUser, nickname: null, wechatNickname: null }))
    await press('修改昵称')
    expect(field('昵称').placeholder).toBe('请输入昵称')
  })
  test.each(['', '   ', '一'.repeat(21), '\u200b'])(
    '%j is refused on the spot, and typing clears it',
    async (typed) => {
      await open('/user', { ...signedIn(), [change]: () => null })
      await press('修改昵称')
      await type('昵称', typed)
      await press('保存')
      expect([alertText(), inputsOf(change)]).toEqual(['昵称须为1-20个字符', []])
      await type('昵称', '夏')
      expect(alertText()).toBeUndefined()
    },
  )
  test('20 characters outside the BMP are 20', async () => {
    await open('/user', { ...signedIn(), [change]: () => null })
    await press('修改昵称')
    await type('昵称', '🐯'.repeat(20))
    await press('保存')
    expect(inputsOf(change)).toHaveLength(1)
  })
  test('Escape and 取消 leave it as it was; the same name is not sent', async () => {
    await open('/user', { ...signedIn(), [change]: () => null })
    for (const end of [() => key('Escape'), () => press('取消'), () => press('保存')]) {
      await press('修改昵称')
      expect(editing()).toBe(true)
      await end()
      await settle()
      expect([editing(), find('.profile h2')?.textContent]).toEqual([false, '林知夏'])
    }
    expect(inputsOf(change)).toEqual([])
  })
  test('a refusal of the server stands under the field, which stays open', async () => {
    await open('/user', {
      ...signedIn(),
      [change]: () => {
        throw new Refusal('TOO_MANY_REQUESTS', '操作过于频繁，请稍后再试')
      },
    })
    await press('修改昵称')
    await type('昵称', '夏')
    await press('保存')
    expect([editing(), alertText()]).toEqual([true, '操作过于频繁，请稍后再试'])
    expect(field('昵称').getAttribute('aria-invalid')).toBe('true')
  })
})

describe('preference', () => {
  const path = '/api/user/preference'
  const choose = async (label: string) => {
    await act(async () =>
      all('.seg label')
        .find((each) => each.textContent === label)
        ?.click(),
    )
    await settle()
  }
  const force = () => inForce(useDevice.getState())

  test('S027 S028 S379 holds here at once and goes to the account; 跟随系统 and 标准 unset it there', async () => {
    await open('/user', { ...signedIn(), [path]: () => ({}) })
    for (const label of ['深色', '特大', '浅色', '跟随系统', '标准']) await choose(label)
    expect(inputsOf(path)).toEqual([
      { dark: true },
      { fontSize: 18 },
      { dark: false },
      { dark: null },
      { fontSize: null },
    ])
    expect([force(), localStorage.getItem('device_preference')]).toEqual([{}, '{}'])
  })
  test('D062 unsetting here also unsets what came from the account', async () => {
    await open('/user', {
      ...signedIn({ ...sampleUser, preference: { dark: true, fontSize: 18 } }),
      [path]: () => ({}),
    })
    expect(force()).toEqual({ dark: true, fontSize: 18 })
    act(() =>
      all('.seg label')
        .find((each) => each.textContent === '跟随系统')
        ?.click(),
    )
    expect(force()).toEqual({ fontSize: 18 })
    await settle()
    expect(force()).toEqual({ fontSize: 18 })
    expect(useDevice.getState().preference).toEqual({})
  })
  test('a choice that can’t be sent still holds here, with a word about it', async () => {
    await open('/user', signedIn({ ...sampleUser, preference: { dark: true } }))
    await choose('浅色')
    expect([force().dark, find('.toast')?.textContent]).toEqual([false, '已在本机生效，暂未同步到您的账号'])
    await choose('跟随系统')
    expect(force()).toEqual({})
  })
})

test('D035 a session ended elsewhere shows in place at any call of the page', async () => {
  await open('/user', signedIn())
  await endElsewhere()
  expect(currentAddress()).toBe('/user')
  expect(shownText()).toContain('已下线，请重新登录')
})

test('a call that was in flight while the secret was renewed does not sign the user out', async () => {
  await open('/user', signedIn())
  let asked = 0
  const late = () => {
    throw new Refusal('NOT_LOGGED_IN')
  }
  serve({
    '/api/user/info/changeNickname': late,
    '/api/user/info': () => (++asked === 1 ? late() : sampleUser),
  })
  await press('修改昵称')
  await type('昵称', '夏')
  await press('保存')
  expect(asked).toBe(2)
  expect(shownText()).not.toContain('请先登录')
  expect(shownText()).not.toContain('已下线')
})
