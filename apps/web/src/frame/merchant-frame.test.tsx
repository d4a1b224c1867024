// @vitest-environment happy-dom
import { useQueryClient } from '@tanstack/react-query'
import { act, useEffect } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SignedIn } from '../app/signed-in.tsx'
import { useDevice } from '../lib/device/device.ts'
import { acceptMeta } from '../site/site.store.ts'
import { all, currentAddress, draw, find, leave, press, serve, settle } from '../test/page.tsx'
import { sampleMeta, sampleUser } from '../test/samples.ts'
import { MerchantFrame } from './merchant-frame.tsx'
import { unreadKey } from './unread.ts'

interface Opening {
  rights?: string[]
  above?: string
  bare?: boolean
  unread?: number
}

/** What is new for the merchant, as if it had been asked for. */
function Unread({ merchant }: { merchant: number }) {
  const client = useQueryClient()
  useEffect(() => {
    client.setQueryData(unreadKey(sampleUser.id), { user: 0, merchant })
  }, [client, merchant])
  return null
}

async function open(path: string, { rights = ['READ'], above, bare = false, unread = 0 }: Opening = {}) {
  serve({ '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: rights } }) })
  const page = (
    <MerchantFrame title="用户管理" aside={<button type="button">旁边</button>} {...(above && { above })} bare={bare}>
      <Unread merchant={unread} />
      <input aria-label="所写" />
    </MerchantFrame>
  )
  await draw(<SignedIn page={page} />, path)
}
const links = () => all('.side-list a').map((link) => [link.textContent, link.getAttribute('href')])

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

test('on wide screens the pages stand beside it in two groups, the present one marked', async () => {
  await open('/merchant/users/x')
  expect(all('.side-list h2').map((title) => title.textContent)).toEqual(['客户服务', '商户管理'])
  expect(links()).toEqual([
    ['意见处理', '/merchant/feedback'],
    ['用户管理', '/merchant/users'],
    ['使用量统计', '/merchant/statistics'],
    ['微信集成', '/merchant/wechat'],
    ['配置', '/merchant/config'],
    ['操作日志', '/merchant/log'],
  ])
  expect(all('[aria-current]').map((link) => link.textContent)).toEqual(['管理后台', '用户管理'])
  expect(find('.title')?.textContent).toBe('用户管理旁边')
})
test.each([
  [0, ''],
  [6, '6'],
  [120, '99+'],
])('with %i unread 意见处理 says %s', async (unread, shown) => {
  await open('/merchant/users', { unread })
  expect(links()[0]?.[0]).toBe(`意见处理${shown}`)
  expect(find('.side-count')?.getAttribute('aria-label')).toBe(unread ? `${unread} 条未读` : undefined)
})
test('where the title isn’t drawn nothing hides behind it', async () => {
  useDevice.setState({ width: 740, height: 360 })
  await open('/merchant/users', { bare: true })
  expect(find('.title button[aria-label=返回]')).toBeNull()
  await leave()
  useDevice.setState({ width: 390, height: 844 })
  await open('/merchant/users', { bare: true })
  expect(find('.bar button[aria-label=返回]')).not.toBeNull()
})
test('the home page is the list itself', async () => {
  await open('/merchant')
  expect([find('.side-list'), find('[aria-label=返回]')]).toEqual([null, null])
})
test.each([
  [390, 844],
  [820, 1180],
  [740, 360],
  [1280, 800, 18],
])('at %i × %i there is no list, and back leads to /merchant', async (width, height, fontSize = 14) => {
  useDevice.setState({ width, height, fontSize })
  await open('/merchant/users')
  expect(find('.side-list')).toBeNull()
  expect(all('button').map((each) => each.textContent)).toContain('旁边')
  await press('返回')
  expect(currentAddress()).toBe('/merchant')
})
test('a page that another one leads to goes back there', async () => {
  await open('/merchant/users/x', { above: '/merchant/users' })
  await press('返回')
  expect(currentAddress()).toBe('/merchant/users')
})
test('turning the device keeps what is on the page', async () => {
  await open('/merchant/users')
  const before = find('main input')
  await act(async () => useDevice.setState({ width: 390, height: 844 }))
  await settle()
  expect([find('.side-list'), find('main input') === before]).toEqual([null, true])
})
test('D065 without READ there is nothing but 无权限访问', async () => {
  await open('/merchant/users', { rights: [] })
  expect([find('h1')?.textContent, find('main input'), find('.side-list')]).toEqual(['无权限访问', null, null])
})
