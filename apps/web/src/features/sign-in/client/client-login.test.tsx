// @vitest-environment happy-dom
import type { Interaction } from '@hufu/contract/oidc'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { loginLeadingTo } from '../../../session/login-source.ts'
import { useSentCodes } from '../../../session/sent-codes.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  draw,
  failing,
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
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import LoginPage from '../login/login-page.tsx'
import { filledBy } from './sign-in-hint.ts'

const resume = '/oidc/authorize/x7Kq2'
const read = '/api/oidc/interaction'
const interaction: Interaction = {
  client: { id: 'b', name: '海风书店', logo: '/b.png', host: 'b.example', firstParty: false, privacy: null },
  step: 'login',
  hint: null,
  scopes: [],
  resume,
}
const assigned = vi.fn<(address: string) => void>()

async function open(asked: Partial<Interaction> = {}, answers: Answers = {}) {
  serve({
    '/api/user/info': failing('NOT_LOGGED_IN', ''),
    '/api/login/entry': ({ source }) => source,
    '/api/login/password': () => ({ id: 'u', created: false }),
    [read]: () => ({ ...interaction, ...asked }),
    ...answers,
  })
  await draw(
    <Routes>
      <Route path="/login/*" element={<LoginPage />} />
      <Route path="*" element={<p>another page</p>} />
    </Routes>,
    loginLeadingTo(resume),
  )
}
const signedIn: Answers = { '/api/user/info': () => sampleUser }

beforeAll(async () => {
  await import('./client-login.tsx')
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

test('D235 the page names the client that waits, and leaves for it by a navigation after sign-in', async () => {
  await open()
  expect(inputsOf(read)).toEqual([{ id: 'x7Kq2' }])
  expect(find('.returns-to')?.textContent).toBe('登录后将返回 海风书店')
  expect(find('.returns-to img')?.getAttribute('src')).toBe('/b.png')
  await press('密码登录')
  await type('账号', 'zhixia')
  await type('密码', 'Qingyu#2026')
  await press('登录')
  expect(assigned.mock.calls).toEqual([[resume]])
})

test('D235 a signed-in user is taken on at once where nothing but an answer is missing', async () => {
  await open({ step: 'consent' }, signedIn)
  expect(assigned.mock.calls).toEqual([[resume]])
})

test('D236 where a new sign-in is wanted the page stays although there is a session, and leaves once after it', async () => {
  await open({}, signedIn)
  expect([assigned.mock.calls, find('h1')?.textContent]).toEqual([[], '手机号登录'])
  expect(shownText()).toContain('为了您的账号安全，请重新登录')
  expect(field('手机号').value).toBe('13812345678')
  await press('密码登录')
  await type('密码', 'Qingyu#2026')
  await press('登录')
  expect(inputsOf('/api/login/password')[0]).toMatchObject({ account: '13812345678' })
  expect([assigned.mock.calls, find('form')]).toEqual([[[resume]], null])
})

test('D301 the page asks for a code to sign in with, although there is a session', async () => {
  await open({}, { ...signedIn, '/api/verifyCode/mobile': () => ({ retryAfter: 60 }) })
  await press('发送验证码')
  expect(inputsOf('/api/verifyCode/mobile')).toMatchObject([{ mobile: '13812345678', type: 'login' }])
})

test('D236 the form is gone for good after the new sign-in, however late the new session is read', async () => {
  let renewed = false
  let answer: (user: unknown) => void = () => undefined
  const late = () => new Promise((resolve) => (answer = resolve))
  await open(
    {},
    {
      '/api/user/info': () => (renewed ? late() : sampleUser),
      '/api/login/password': () => {
        renewed = true
        return { id: 'u', created: false }
      },
    },
  )
  await press('密码登录')
  await type('密码', 'Qingyu#2026')
  await press('登录')
  await act(async () => answer(sampleUser))
  await settle()
  expect([renewed, assigned.mock.calls, find('form')]).toEqual([true, [[resume]], null])
})

test('D236 without an answer a signed-in user is not sent round in a circle, but may try again', async () => {
  await open({}, { ...signedIn, [read]: () => Promise.reject(new TypeError('Failed to fetch')) })
  expect([assigned.mock.calls, find('h1')?.textContent]).toEqual([[], '暂时无法登录'])
  serve({
    ...signedIn,
    '/api/login/entry': ({ source }) => source,
    [read]: () => ({ ...interaction, step: 'consent' }),
  })
  await press('重试')
  expect(assigned.mock.calls).toEqual([[resume]])
})

test('D236 without an answer other visitors sign in as ever', async () => {
  await open({}, { [read]: () => Promise.reject(new TypeError('Failed to fetch')) })
  expect([find('h1')?.textContent, find('.returns-to')]).toEqual(['手机号登录', null])
})

test('D237 a request that is over says so and leads to the account', async () => {
  await open({}, { ...signedIn, [read]: failing('AUTHORIZE_EXPIRED', '授权请求已失效') })
  expect([find('h1')?.textContent, assigned.mock.calls]).toEqual(['登录请求已失效', []])
  expect([find('a.btn')?.textContent, find('a.btn')?.getAttribute('href')]).toEqual(['前往我的账号', '/user'])
})

test('D238 any other source asks for no client', async () => {
  serve({ '/api/user/info': failing('NOT_LOGGED_IN', ''), '/api/login/entry': () => '/user' })
  await draw(<LoginPage />, loginLeadingTo('/user/oidc/authorize/x'))
  expect([inputsOf(read), find('h1')?.textContent]).toEqual([[], '手机号登录'])
})

describe('hint', () => {
  test('D239 an address fills in the account and opens the form that has it', async () => {
    await open({ hint: 'zhixia@b.example' })
    expect([find('h1')?.textContent, field('账号').value]).toEqual(['密码登录', 'zhixia@b.example'])
  })
  test('D239 a number fills in the number', async () => {
    await open({ hint: '+852 5123 4567' })
    expect([field('手机号').value, field('国家或地区代码').value]).toEqual(['51234567', 'HK'])
  })
  test.each([
    ['138 1234 5678', { receiver: '+86 13812345678', account: '13812345678' }],
    ['+8613812345678', { receiver: '+86 13812345678', account: '13812345678' }],
    ['+1 202 555 0100', { account: '+1 202 555 0100', method: 'password' }],
    ['zhixia', { account: 'zhixia', method: 'password' }],
    ['', {}],
    [null, {}],
    ['x'.repeat(200), {}],
  ])('D239 %s', (hint, filled) => expect(filledBy(hint, ['86', '852'])).toEqual(filled))
})

test('a refused interaction is no reason to hide the form', async () => {
  await open(
    {},
    {
      [read]: () => {
        throw new Refusal('TOO_MANY_REQUESTS', '操作过于频繁', undefined, 429)
      },
    },
  )
  expect(find('h1')?.textContent).toBe('手机号登录')
})
