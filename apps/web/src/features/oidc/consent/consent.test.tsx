// @vitest-environment happy-dom
import type { Interaction } from '@hufu/contract/oidc'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  all,
  currentAddress,
  draw,
  failing,
  find,
  inputsOf,
  leave,
  press,
  serve,
  settle,
  shownText,
  type,
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import ConsentPage from './consent-page.tsx'

const resume = '/oidc/authorize/x7Kq2'
const read = '/api/oidc/interaction'
const answer = '/api/oidc/answer'
const interaction: Interaction = {
  client: {
    id: 'b',
    name: '海风书店',
    logo: null,
    host: 'b.example',
    firstParty: false,
    privacy: 'https://b.example/privacy',
  },
  step: 'consent',
  hint: null,
  scopes: [
    { name: 'profile', reason: '用于显示您的身份', required: true },
    { name: 'phone', reason: '用于发送通知', required: false },
    { name: 'email', reason: null, required: false },
  ],
  resume,
}
const replaced = vi.fn<(address: string) => void>()
const check = { twoFactor: false, way: null, second: [] }

async function open(asked: Partial<Interaction> = {}, answers: Answers = {}) {
  serve({
    '/api/user/info': () => sampleUser,
    '/api/logout': () => null,
    [read]: () => ({ ...interaction, ...asked }),
    [answer]: () => ({ resume }),
    ...answers,
  })
  await draw(
    <Routes>
      <Route path="/consent/:id" element={<ConsentPage />} />
      <Route path="*" element={<p>another page</p>} />
    </Routes>,
    '/consent/x7Kq2',
  )
}
const boxes = () => all('.scope-line').map((line) => line.querySelector('input') as HTMLInputElement)
async function tick(place: number) {
  await act(async () => boxes()[place]?.click())
}
const toLogin = `/login/${encodeURIComponent(resume)}`

beforeAll(async () => {
  await import('../../../identity/factor/factor-form.tsx')
})
beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  replaced.mockReset()
  vi.spyOn(window.location, 'replace').mockImplementation((address) => replaced(String(address)))
})

test('D240 shows the account, the client and a line for each scope with value and reason', async () => {
  await open()
  expect([find('h1')?.textContent, document.title]).toEqual(['授权登录', '授权登录'])
  expect(find('.consent-account')?.textContent).toBe('当前账号：林知夏 138****5678换个账号')
  expect(find('.client-line')?.textContent).toBe('海海风书店b.example')
  expect(all('.scope-line').map((line) => line.textContent)).toEqual([
    '昵称和头像必需林知夏用于显示您的身份',
    '手机号138****5678用于发送通知',
    '邮箱未设置',
  ])
  expect(boxes().map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ])
  expect(find('.consent-small a')?.getAttribute('href')).toBe('https://b.example/privacy')
  expect(shownText()).toContain('可随时在“授权管理”中解除')
})

test('D240 what is left ticked is agreed to, and the browser goes on', async () => {
  await open()
  await tick(1)
  await tick(2)
  await press('同意并继续')
  expect(inputsOf(answer)).toEqual([{ id: 'x7Kq2', accept: true, scopes: ['profile', 'email'] }])
  expect(replaced.mock.calls).toEqual([[resume]])
})

test('D241 a refusal is an answer, too', async () => {
  await open()
  await press('拒绝')
  expect([inputsOf(answer), replaced.mock.calls]).toEqual([[{ id: 'x7Kq2', accept: false }], [[resume]]])
})

test('D241 an answer that fails is explained and can be given again; one that comes too late ends the page', async () => {
  await open({}, { [answer]: failing('SERVICE_BUSY', '服务繁忙') })
  await press('同意并继续')
  expect([shownText().includes('服务繁忙'), replaced.mock.calls]).toEqual([true, []])
  serve({ [answer]: failing('AUTHORIZE_EXPIRED', '') })
  await press('同意并继续')
  expect([find('h1')?.textContent, find('a.btn')?.getAttribute('href')]).toEqual(['授权请求已失效', '/user'])
})

test('D242 a client that wants no scope learns nothing but a number', async () => {
  await open({ scopes: [] })
  expect(shownText()).toContain('不会获取您的个人信息')
  await press('同意并继续')
  expect(inputsOf(answer)).toEqual([{ id: 'x7Kq2', accept: true, scopes: [] }])
})

test('D243 visitors without a session, and those who must sign in again, go to the sign-in page', async () => {
  await open({}, { '/api/user/info': failing('NOT_LOGGED_IN', '') })
  expect([currentAddress(), inputsOf(read)]).toEqual([toLogin, []])
  await open({ step: 'login' })
  expect(currentAddress()).toBe(toLogin)
})

test('D243 换个账号 signs out and comes back to the same request', async () => {
  await open()
  await press('换个账号')
  expect([inputsOf('/api/logout'), currentAddress()]).toEqual([[{}], toLogin])
})

test('D244 the account is chosen: this one, or none', async () => {
  await open({ step: 'account' })
  expect(find('.chosen-account')?.textContent).toBe('林林知夏138****5678换个账号')
  await press('继续使用此账号')
  expect([inputsOf(answer), replaced.mock.calls]).toEqual([[{ id: 'x7Kq2', accept: true }], [[resume]]])
})

test('D245 the second factor is given in the session, and the browser goes on', async () => {
  await open(
    { step: 'factor' },
    {
      '/api/user/twoFactor/state': () => ({ ...check, factors: ['totp', 'recovery'] }),
      '/api/user/twoFactor/verify': () => null,
    },
  )
  await type('验证器应用中的六位动态验证码', '704123')
  expect(inputsOf('/api/user/twoFactor/verify')).toEqual([{ totp: '704123' }])
  expect(replaced.mock.calls).toEqual([[resume]])
})

test('D245 an account without one is led to 登录保护, or cancels', async () => {
  await open({ step: 'factor' }, { '/api/user/twoFactor/state': () => ({ ...check, factors: [] }) })
  expect(shownText()).toContain('海风书店要求账号开启登录保护')
  expect(find('a.btn.main')?.getAttribute('href')).toBe('/user/protection')
  await press('暂不登录')
  expect([inputsOf(answer), replaced.mock.calls]).toEqual([[{ id: 'x7Kq2', accept: false }], [[resume]]])
})

test('D246 a request that is over says so; without a network it can be read again', async () => {
  await open({}, { [read]: failing('AUTHORIZE_EXPIRED', '') })
  expect(find('h1')?.textContent).toBe('授权请求已失效')
  await open({}, { [read]: () => Promise.reject(new TypeError('Failed to fetch')) })
  expect(find('h1')?.textContent).toBe('暂时无法继续')
  serve({ [read]: () => interaction })
  await press('重试')
  await settle()
  expect(find('h1')?.textContent).toBe('授权登录')
})
