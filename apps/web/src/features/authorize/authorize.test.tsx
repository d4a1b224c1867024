// @vitest-environment happy-dom
import { StrictMode } from 'react'
import { Route, Routes } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  button,
  currentAddress,
  draw,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import AuthorizePage from './authorize-page.tsx'
import LoginAuthorizePage from './login-authorize-page.tsx'

const create = '/api/login/authorize/create'
const bind = '/api/login/authorize/binding'
const replaced = vi.fn<(address: string) => void>()
const server: Answers = {
  '/api/user/info': () => sampleUser,
  [create]: () => 'id-1',
  [bind]: () => 'https://shop.example/callback?authorize=t1',
}

async function open(path: string, answers: Answers = {}) {
  serve({ ...server, ...answers })
  await draw(
    <StrictMode>
      <Routes>
        <Route path="/authorize/:source" element={<AuthorizePage />} />
        <Route path="/loginAuthorize/:id" element={<LoginAuthorizePage />} />
        <Route path="*" element={<p>another page</p>} />
      </Routes>
    </StrictMode>,
    path,
  )
}
const refuse = (code: string, message: string) => () => {
  throw new Refusal(code, message)
}
const source = 'https://shop.example/callback?a=1&b=%2F#c'
const authorize = `/authorize/${encodeURIComponent(source)}`

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  replaced.mockReset()
  vi.spyOn(window.location, 'replace').mockImplementation((address) => replaced(String(address)))
})

test('S017 S018 S019 the source of the path becomes an id, the id leads to the address of the server, each asked once', async () => {
  await open(authorize)
  expect(inputsOf(create)).toEqual([{ source }])
  expect(inputsOf(bind)).toEqual([{ id: 'id-1' }])
  expect(currentAddress()).toBe('/loginAuthorize/id-1')
  expect(new Set(replaced.mock.calls.flat())).toEqual(new Set(['https://shop.example/callback?authorize=t1']))
  expect(find('[role=progressbar]')).not.toBeNull()
})

test('D076 the state goes along', async () => {
  await open(`${authorize}?state=a%20b%26c&other=1`)
  expect(inputsOf(create)).toEqual([{ source, state: 'a b&c' }])
})

test('D124 the challenge of PKCE goes along, and what is wrong with it is for the server to say', async () => {
  await open(`${authorize}?state=s&code_challenge=c&code_challenge_method=plain`)
  expect(inputsOf(create)).toEqual([{ source, state: 's', code_challenge: 'c', code_challenge_method: 'plain' }])
})

test('S019 D031 an answer of our own is shown in place, the sign-in page too', async () => {
  await open('/loginAuthorize/id-9', { [bind]: () => '/login/%2FloginAuthorize%2Fid-9' })
  expect([currentAddress(), shownText(), replaced.mock.calls]).toEqual([
    '/login/%2FloginAuthorize%2Fid-9',
    'another page',
    [],
  ])
})

test('an id is bound once, whatever happens to the window', async () => {
  await open('/loginAuthorize/id-1', { [bind]: refuse('AUTHORIZE_EXPIRED', '授权请求已失效') })
  for (const event of ['visibilitychange', 'offline', 'online']) window.dispatchEvent(new Event(event))
  await settle()
  expect(inputsOf(bind)).toEqual([{ id: 'id-1' }])
})

test.each([
  [authorize, create, 'AUTHORIZE_SOURCE', '回跳地址未被允许，请联系网站管理员'],
  ['/loginAuthorize/id-1', bind, 'AUTHORIZE_EXPIRED', '授权请求已失效，请返回原网站重新登录'],
])('S420 D050 a refusal shows 授权失败, the message and 返回首页: %s', async (path, call, code, message) => {
  await open(path, { [call]: refuse(code, message) })
  expect([find('h1')?.textContent, document.title]).toEqual(['授权失败', '授权失败'])
  expect(shownText()).toContain(message)
  expect(find<HTMLAnchorElement>('a.btn')?.textContent).toBe('返回首页')
  expect(find<HTMLAnchorElement>('a.btn')?.getAttribute('href')).toBe('/')
  expect([button('重试'), replaced.mock.calls]).toEqual([undefined, []])
})

test.each(['/authorize/%E4%zz', '/authorize/%'])(
  'a path that can not be read is a refused source: %s',
  async (path) => {
    await open(path, { [create]: refuse('AUTHORIZE_SOURCE', '回跳地址未被允许') })
    expect(inputsOf(create)).toEqual([{ source: '' }])
    expect(find('h1')?.textContent).toBe('授权失败')
  },
)

test('without a network 重试 asks again', async () => {
  await open('/loginAuthorize/id-1', { [bind]: () => Promise.reject(new TypeError('Failed to fetch')) })
  expect(shownText()).toContain('网络异常，请稍后再试')
  expect(find('a.btn')?.textContent).toBe('返回首页')
  serve(server)
  await press('重试')
  expect(replaced).toHaveBeenCalledWith('https://shop.example/callback?authorize=t1')
})
