// @vitest-environment happy-dom
import { Route, Routes } from 'react-router'
import { beforeEach, describe, expect, test } from 'vitest'
import { useDevice } from '../../lib/device.ts'
import { inForce } from '../../lib/device-rules.ts'
import {
  type Answers,
  all,
  currentAddress,
  draw,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import HomePage from '../shell/home-page.tsx'
import { SignedIn } from '../shell/signed-in.tsx'
import { acceptMeta } from '../site/site.store.ts'
import { nameOf, shownMobile } from './person.ts'
import { useAccountPreference } from './use-account-preference.ts'
import UserPage from './user-page.tsx'

/** A server that knows this person until sign-out. */
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
  }
}
const refused = (code: string, message = code): Answers => ({
  '/api/user/info': () => {
    throw new Refusal(code, message)
  },
})

function App() {
  useAccountPreference()
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
