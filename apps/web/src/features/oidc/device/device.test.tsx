// @vitest-environment happy-dom
import type { DeviceAsked } from '@hufu/contract/oidc'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { beforeEach, expect, test } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
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
import DevicePage from './device-page.tsx'
import TypeCodePage from './type-code-page.tsx'

const read = '/api/oidc/device/read'
const answer = '/api/oidc/device/answer'
const path = '/device/WDJB-MJHT'
const client = { id: 'tv', name: '客厅影院', logo: null, host: null, firstParty: true, privacy: null }
const asked: DeviceAsked = {
  client,
  userCode: 'WDJB-MJHT',
  browser: 'Samsung Internet 5',
  os: 'Tizen 7',
  ip: '120.24.78.68',
  region: '广东省 深圳市',
  network: 'same',
  time: new Date(2026, 10, 14, 21, 36).getTime(),
  needsProtection: false,
  scopes: [],
}
const thirdParty: Partial<DeviceAsked> = {
  client: { ...client, name: '海风音乐', firstParty: false },
  scopes: [
    { name: 'profile', reason: '用于显示您的昵称', required: true },
    { name: 'phone', reason: null, required: false },
    { name: 'email', reason: null, required: false },
  ],
}

async function open(differently: Partial<DeviceAsked> = {}, answers: Answers = {}, at = path) {
  serve({
    '/api/user/info': () => sampleUser,
    [read]: () => ({ ...asked, ...differently }),
    [answer]: () => ({}),
    ...answers,
  })
  await draw(
    <Routes>
      <Route path="/device" element={<TypeCodePage />} />
      <Route path="/device/:code" element={<DevicePage />} />
      <Route path="*" element={<p>another page</p>} />
    </Routes>,
    at,
  )
}
const boxes = () => all('.scope-line').map((line) => line.querySelector('input') as HTMLInputElement)
const heading = () => find('h1')?.textContent

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})

test('D314 the card says which application, device, place and code, as whom, and warns; nothing is approved by itself', async () => {
  await open()
  expect([heading(), document.title]).toEqual(['在另一台设备上登录？', '设备登录'])
  expect(all('.facts > div').map((row) => [...row.children].map((part) => part.textContent))).toEqual([
    ['账号', '林知夏+86 138****5678'],
    ['应用', '客厅影院'],
    ['登录码', 'WDJB-MJHT应与设备上显示的一致'],
    ['设备', 'Samsung Internet 5  Tizen 7'],
    ['地点', '广东省 深圳市IP 120.24.78.68'],
    ['时间', '11 月 14 日 21:36'],
  ])
  expect(find('.notice.good')?.textContent).toBe('与本机在同一网络')
  expect(find('.notice.warn')?.textContent).toContain('如果设备不在您身边')
  expect([inputsOf(read), inputsOf(answer)]).toEqual([[{ userCode: 'WDJB-MJHT' }], []])
  await press('确认登录')
  expect(inputsOf(answer)).toEqual([{ userCode: 'WDJB-MJHT', accept: true }])
  expect([heading(), shownText().includes('请回到那台设备上继续')]).toEqual(['已确认登录', true])
})

test('D314 what is unknown about a device is not made up', async () => {
  await open({ browser: null, os: null, ip: null, region: null, network: null })
  const names = all('.facts dt').map(({ textContent }) => textContent)
  expect(names).toEqual(['账号', '应用', '登录码', '设备', '时间'])
  expect(shownText()).toContain('未知设备')
})

test('D314 a refusal is an answer, too; one that fails is explained and can be given again', async () => {
  await open({}, { [answer]: failing('SERVICE_BUSY', '服务繁忙') })
  await press('拒绝')
  expect([alertText(), heading()]).toEqual(['服务繁忙', '在另一台设备上登录？'])
  serve({ [answer]: () => ({}) })
  await press('拒绝')
  expect([inputsOf(answer).at(-1), heading()]).toEqual([{ userCode: 'WDJB-MJHT', accept: false }, '已拒绝登录'])
})

test('D314 a device in another region is asked about once more', async () => {
  await open({ network: 'elsewhere' })
  await press('确认登录')
  expect(inputsOf(answer)).toEqual([])
  expect(find('dialog')?.textContent).toContain('该设备位于广东省 深圳市')
})

test('D315 a code is typed in either case and in any grouping; a short one is refused before it is sent', async () => {
  await open({}, {}, '/device')
  await type('登录码', 'wdjb mj')
  await press('继续')
  expect([alertText(), currentAddress()]).toEqual(['请输入完整的 8 位登录码', '/device'])
  await type('登录码', 'wdjb mjht')
  expect((find('.device-code-input') as HTMLInputElement).value).toBe('WDJB-MJHT')
  await press('继续')
  await settle()
  expect([currentAddress(), inputsOf(read)]).toEqual([path, [{ userCode: 'WDJB-MJHT' }]])
  expect(inputsOf(answer)).toEqual([])
})

test('D315 a wrong, expired or used code says so and leads back to typing; without a network it is read again', async () => {
  await open({}, { [read]: failing('DEVICE_CODE_WRONG', '登录码不正确或已过期') })
  expect([heading(), find('a.btn')?.getAttribute('href')]).toEqual(['无法确认登录', '/device'])
  await open({}, { [read]: failing('LOGIN_REQUEST_DONE', '该登录请求已处理') })
  expect(heading()).toBe('无法确认登录')
  await open({}, { [read]: () => Promise.reject(new TypeError('Failed to fetch')) })
  expect(heading()).toBe('暂时无法继续')
  serve({ [read]: () => asked })
  await press('重试')
  await settle()
  expect(heading()).toBe('在另一台设备上登录？')
})

test('D316 a visitor signs in first and comes back, to the card or to the typing', async () => {
  const out = { '/api/user/info': failing('NOT_LOGGED_IN', '') }
  await open({}, out)
  expect([currentAddress(), inputsOf(read)]).toEqual([`/login/${encodeURIComponent(path)}`, []])
  await open({}, out, '/device')
  expect(currentAddress()).toBe(`/login/${encodeURIComponent('/device')}`)
})

test('D317 a third-party application asks a line for each thing it will learn, on the same card', async () => {
  await open(thirdParty)
  expect(all('.scope-line').map((line) => line.textContent)).toEqual([
    '昵称和头像必需林知夏用于显示您的昵称',
    '手机号138****5678',
    '邮箱未设置',
  ])
  await act(async () => boxes()[1]?.click())
  await press('确认登录')
  expect(inputsOf(answer)).toEqual([{ userCode: 'WDJB-MJHT', accept: true, scopes: ['profile'] }])
})

test('D317 a protected account is led to the check; one without a factor, where it is demanded, to 登录保护', async () => {
  await open({}, { [answer]: failing('TWO_FACTOR_REQUIRED', '') })
  await press('确认登录')
  expect(currentAddress()).toBe('/user/twoFactor/authorize')
  await open({ needsProtection: true })
  expect([heading(), button('确认登录'), find('a.btn.main')?.getAttribute('href')]).toEqual([
    '需要登录保护',
    undefined,
    '/user/protection',
  ])
  await press('拒绝')
  expect(inputsOf(answer)).toEqual([{ userCode: 'WDJB-MJHT', accept: false }])
})
