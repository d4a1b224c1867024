// @vitest-environment happy-dom
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { useRouteFollowing } from '../../../app/use-route-change.ts'
import TwoFactorPage from '../../../identity/step-up/two-factor-page.tsx'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  alertText,
  button,
  currentAddress,
  draw,
  find,
  leave,
  press,
  serve,
  settle,
  shownText,
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser, weChatAgent } from '../../../test/samples.ts'
import { Toaster } from '../../../ui/toast.tsx'
import WechatPage from '../../account/wechat-page.tsx'
import { AccountCard } from '../../profile/account-card.tsx'

const bound = { ...sampleUser, wechatOpenId: 'o1', wechatNickname: '林小满' }
const unbound = { ...sampleUser, wechatOpenId: null, wechatNickname: null }
const checked = { twoFactor: true, way: 'mobile', second: [] }
const assigned = vi.fn<(address: string) => void>()
const replaced = vi.fn<(address: string) => void>()

const server = (user: object): Answers => ({
  '/api/user/info': () => user,
  '/api/user/token/list': () => ({ count: 1, data: [] }),
  '/api/user/wechat/ticket': () => 'tt',
  '/api/user/twoFactor/state': () => checked,
})

async function open(user: object, path = '/user/wechat', answers: Answers = {}) {
  serve({ ...server(user), ...answers })
  await draw(
    <>
      <WechatPage />
      <Toaster />
    </>,
    path,
  )
}

beforeAll(async () => {
  await Promise.all([
    import('../../../ui/qr-code.tsx'),
    import('../../../identity/step-up/wechat-proof.tsx'),
    import('../../../app/show-wechat-outcome.ts'),
  ])
})

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), userAgent: weChatAgent }, true)
  acceptMeta({ ...sampleMeta, wechatEnabled: true })
  assigned.mockReset()
  replaced.mockReset()
  vi.spyOn(window.location, 'assign').mockImplementation((address) => assigned(String(address)))
  vi.spyOn(window.location, 'replace').mockImplementation((address) => replaced(String(address)))
})

test('the user centre has a line for WeChat where the site has it or the person has bound it', async () => {
  serve(server(unbound))
  await draw(<AccountCard user={unbound as never} />)
  expect(find('a[href="/user/wechat"]')?.textContent).toBe('微信未绑定')
  await draw(<AccountCard user={bound as never} />)
  expect(find('a[href="/user/wechat"]')?.textContent).toBe('微信林小满')
  acceptMeta({ ...sampleMeta, wechatEnabled: false })
  await draw(<AccountCard user={unbound as never} />)
  expect(find('a[href="/user/wechat"]')).toBeNull()
})

test('inside WeChat a tap binds, with a ticket', async () => {
  await open(unbound)
  await press('绑定微信')
  expect(assigned).toHaveBeenCalledExactlyOnceWith('/api/user/wechat/binding?source=%2Fuser%2Fwechat&ticket=tt')
})

test('elsewhere the page shows the way into WeChat', async () => {
  useDevice.setState({ userAgent: 'Chrome', width: 390, height: 844 })
  await open(unbound)
  expect(shownText()).toContain('请在微信中打开本页面')
  useDevice.setState({ userAgent: 'Chrome', width: 1280, height: 800 })
  await open(unbound)
  await vi.waitFor(() => expect(find('svg[role=img]')?.getAttribute('aria-label')).toContain('微信扫一扫'))
  expect(button('绑定微信')).toBeUndefined()
})

test('what is bound can be taken again and unbound, after a check and a question', async () => {
  await open(bound)
  await press('更新昵称和头像')
  expect(assigned).toHaveBeenLastCalledWith('/api/user/wechat/info?source=%2Fuser%2Fwechat&ticket=tt')
  await open(bound)
  await press('解除绑定')
  expect(shownText()).toContain('解除后，您将不能再用该微信登录。')
  const go = [...document.querySelectorAll<HTMLButtonElement>('dialog button')].at(-1)
  go?.click()
  await settle()
  expect(assigned).toHaveBeenLastCalledWith('/api/user/wechat/unbinding?source=%2Fuser%2Fwechat&ticket=tt')
})

test('unbinding leads to the check where that is owed', async () => {
  const owed = { '/api/user/twoFactor/state': () => ({ ...checked, second: ['password'] }) }
  await open(bound, '/user/wechat', owed)
  await press('解除绑定')
  expect(currentAddress()).toBe('/user/twoFactor/authorize')
})

test('D019 the only way in offers no unbinding and says why', async () => {
  await open({ ...bound, mobile: null, mobilePrefix: null, password: false })
  expect(button('解除绑定')).toBeUndefined()
  expect(shownText()).toContain('微信是您唯一的登录方式')
})

test('how it went is said once, and the address is tidy again', async () => {
  await open(bound, '/user/wechat?wechat=bind')
  expect(shownText()).toContain('绑定成功')
  expect(currentAddress()).toBe('/user/wechat')
  await open(unbound, '/user/wechat?wechat=WECHAT_TAKEN')
  expect(alertText()).toBe('该微信已绑定其他账号')
  expect(currentAddress()).toBe('/user/wechat')
  await open(unbound, '/user/wechat?wechat=SECOND_TOO_FRESH')
  expect([alertText(), currentAddress()]).toEqual([
    '登录方式在新设备上刚刚更改过，为保护账号安全，72 小时内暂不能进行此操作',
    '/user/wechat',
  ])
  await open(unbound, '/user/wechat?wechat=TWO_FACTOR_REQUIRED')
  expect(currentAddress()).toBe('/user/twoFactor/authorize')
})

function AnyPage() {
  useRouteFollowing()
  return <Toaster />
}

test('on any other page a failure is a toast, and words from outside are none', async () => {
  serve(server(bound))
  await draw(<AnyPage />, '/user/device?x=1&wechat=WECHAT_SNAPSHOT')
  await vi.waitFor(() => expect(shownText()).toContain('请点击右下角「使用完整服务」后再试'))
  expect(currentAddress()).toBe('/user/device?x=1')
  await draw(<AnyPage />, '/user?wechat=%E8%AF%B7%E8%BD%AC%E8%B4%A6')
  await settle()
  expect(shownText()).not.toContain('请转账')
})

test('the check by WeChat: inside it a tap, elsewhere a sentence', async () => {
  const state = { twoFactor: false, way: null, second: [] }
  serve({ ...server(bound), '/api/user/twoFactor/state': () => state })
  await draw(<TwoFactorPage />, '/user/twoFactor/authorize')
  await vi.waitFor(() => expect(button('微信验证')).toBeDefined())
  await press('微信验证')
  expect(replaced).toHaveBeenCalledExactlyOnceWith('/api/user/wechat/check?source=%2Fuser&ticket=tt')
  useDevice.setState({ userAgent: 'Chrome' })
  await draw(<TwoFactorPage />, '/user/twoFactor/authorize')
  await vi.waitFor(() => expect(shownText()).toContain('请在微信中打开本站'))
})
