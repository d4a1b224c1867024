// @vitest-environment happy-dom
import { Route, Routes } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
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
  shownText,
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import ConfirmLogoutPage from './confirm-logout-page.tsx'
import LoggedOutPage from './logged-out-page.tsx'

const read = '/api/oidc/logout/read'
const confirm = '/api/oidc/logout/confirm'
const client = { id: 'b', name: '海风书店', logo: null, host: 'b.example', firstParty: false, privacy: null }
const replaced = vi.fn<(address: string) => void>()
const signedOut: Answers = { '/api/user/info': failing('NOT_LOGGED_IN', '') }

async function open(path: string, answers: Answers = {}) {
  serve({
    '/api/user/info': () => sampleUser,
    [read]: () => ({ client }),
    [confirm]: () => ({ location: 'https://b.example/bye?state=1' }),
    ...answers,
  })
  await draw(
    <Routes>
      <Route path="/logout/:id" element={<ConfirmLogoutPage />} />
      <Route path="/logout" element={<LoggedOutPage />} />
      <Route path="*" element={<p>another page</p>} />
    </Routes>,
    path,
  )
}
const links = () => all('a.btn').map((link) => [link.textContent, link.getAttribute('href')])

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
  replaced.mockReset()
  vi.spyOn(window.location, 'replace').mockImplementation((address) => replaced(String(address)))
})

test('D250 names the client that asks, signs out after a tap alone and goes where the server says', async () => {
  await open('/logout/r1')
  expect([find('h1')?.textContent, inputsOf(read), inputsOf(confirm)]).toEqual([
    '海风书店 请求退出登录',
    [{ id: 'r1' }],
    [],
  ])
  expect(links()).toEqual([['取消', '/user']])
  await press('退出登录')
  expect([inputsOf(confirm), replaced.mock.calls]).toEqual([[{ id: 'r1' }], [['https://b.example/bye?state=1']]])
  expect(currentAddress()).toBe('/logout/r1')
})

test('D250 a client that is not known is not named', async () => {
  await open('/logout/r1', { [read]: () => ({ client: null }) })
  expect([find('h1')?.textContent, find('.client-line')]).toEqual(['退出登录？', null])
})

test('D250 a failure is shown, a request that is over leads to the account', async () => {
  await open('/logout/r1', { [confirm]: failing('SERVICE_BUSY', '服务繁忙') })
  await press('退出登录')
  expect([shownText().includes('服务繁忙'), replaced.mock.calls]).toEqual([true, []])
  await open('/logout/r1', { [read]: failing('AUTHORIZE_EXPIRED', '') })
  expect([find('h1')?.textContent, links()]).toEqual(['退出请求已失效', [['前往我的账号', '/user']]])
})

test('D251 who is signed out already is told so and may sign in again', async () => {
  await open('/logout/r1', signedOut)
  expect([currentAddress(), find('h1')?.textContent, links()]).toEqual([
    '/logout',
    '已退出登录',
    [['重新登录', '/login']],
  ])
})

test('D251 the page claims nothing that is not so', async () => {
  await open('/logout')
  expect([find('h1')?.textContent, links()]).toEqual(['您仍处于登录状态', [['前往我的账号', '/user']]])
})
