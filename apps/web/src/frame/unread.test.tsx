// @vitest-environment happy-dom
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDevice } from '../lib/device/device.ts'
import { acceptMeta } from '../site/site.store.ts'
import { all, draw, find, leave, serve } from '../test/page.tsx'
import { sampleMeta, sampleUser } from '../test/samples.ts'
import { Frame } from './frame.tsx'
import { unreadKey } from './unread.ts'

function Page({ user, merchant }: { user: number; merchant: number }) {
  const client = useQueryClient()
  useEffect(() => {
    client.setQueryData(unreadKey(sampleUser.id), { user, merchant })
  }, [client, user, merchant])
  return <Frame title="设备信息">…</Frame>
}
async function open(user: number, merchant: number, path = '/user/device') {
  serve({ '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: ['READ'] } }) })
  await draw(<Page user={user} merchant={merchant} />, path)
}
/** The links with a dot. */
const dotted = () =>
  all('nav a')
    .filter((link) => link.querySelector('.news'))
    .map((link) => link.textContent)

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

test.each([
  [0, 0, []],
  [2, 0, ['意见反馈']],
  [0, 3, ['管理后台']],
  [1, 1, ['意见反馈', '管理后台']],
])('with %i for the person and %i for the merchant there are dots at %o', async (user, merchant, links) => {
  await open(user, merchant)
  expect(dotted()).toEqual(links)
})
test('the window’s title counts for the side one is on; the page’s heading doesn’t', async () => {
  await open(2, 7)
  expect([document.title, find('h1')?.textContent]).toEqual(['(2) 设备信息', '设备信息'])
  await open(2, 7, '/merchant/feedback')
  expect(document.title).toBe('(7) 设备信息')
  await open(0, 7)
  expect(document.title).toBe('设备信息')
})
test('where the links are behind a button, the button has the dot', async () => {
  useDevice.setState({ width: 390, height: 844 })
  await open(1, 0)
  expect(find('.bar .news')).not.toBeNull()
  await open(0, 0)
  expect(find('.bar .news')).toBeNull()
})
