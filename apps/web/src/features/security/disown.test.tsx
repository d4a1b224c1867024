// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { queryClient } from '../../lib/call/query-client.ts'
import { useDevice } from '../../lib/device/device.ts'
import { visitorQuery } from '../../session/profile.api.ts'
import { acceptMeta } from '../../site/site.store.ts'
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
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import DisownPage from './disown-page.tsx'

const token = 'aB3dE6gH9jK2mN5pQ8sT_-aB3dE6gH9jK2mN5pQ8sT_'.padEnd(43, 'x')
const read = '/api/login/notice/read'
const disown = '/api/login/notice/disown'
const noticed = {
  time: new Date(2020, 10, 14, 21, 36).getTime(),
  browser: 'Chrome 142',
  os: 'Windows',
  ip: '203.0.113.9',
  region: '广东省 深圳市',
  live: true,
}
const signedOut = { '/api/user/info': failing('NOT_LOGGED_IN', '请先登录') }
const expired = failing('NOTICE_EXPIRED', '该链接已使用或已过期')

const places = (
  <Routes>
    <Route path="/disown/:token" element={<DisownPage />} />
    <Route path="*" element={null} />
  </Routes>
)
async function open(answers: Answers = {}, path = `/disown/${token}`) {
  serve({ ...signedOut, [read]: () => noticed, [disown]: () => null, ...answers })
  await draw(places, path)
}
const links = () => all('main a').map((link) => [link.getAttribute('href'), link.textContent])

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})

test('shows the sign-in and asks; opening it changes nothing', async () => {
  await open()
  expect([find('h1')?.textContent, document.title]).toEqual(['这次登录是您本人吗？', '登录提醒'])
  expect(all('.facts > div').map((row) => [...row.children].map((part) => part.textContent))).toEqual([
    ['时间', '2020 年 11 月 14 日 21:36'],
    ['设备', 'Chrome 142  Windows'],
    ['地点', '广东省 深圳市IP 203.0.113.9'],
  ])
  expect([inputsOf(read), inputsOf(disown)]).toEqual([[{ token }], []])
})

describe('不是我', () => {
  test('ends it and leads to sign in and protect the account', async () => {
    await open()
    await press('不是我')
    expect(inputsOf(disown)).toEqual([{ token }])
    expect(find('h1')?.textContent).toBe('已下线该设备')
    expect(links()).toEqual([['/login/%2Fuser%2Fprotect', '下一步：登录并修改密码']])
    expect(document.activeElement?.textContent).toContain('已下线该设备')
  })
  test('a signed-in user goes straight on, and sees as whom', async () => {
    await open({ '/api/user/info': () => sampleUser })
    await press('不是我')
    expect(links()).toEqual([['/user/protect', '下一步：修改密码']])
    expect(shownText()).toContain('当前登录账号：林知夏')
  })
  test('whose account is another one signs out here and in there', async () => {
    let here = true
    const answers = {
      '/api/user/info': () => (here ? sampleUser : failing('NOT_LOGGED_IN', '请先登录')()),
      '/api/logout': () => {
        here = false
        return null
      },
    }
    await open({ ...answers, '/api/logout': failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await press('不是我')
    await press('退出并登录其他账号')
    expect([alertText(), currentAddress()]).toEqual(['服务繁忙，请稍后再试', `/disown/${token}`])
    serve(answers)
    await press('退出并登录其他账号')
    expect([inputsOf('/api/logout').length, currentAddress()]).toEqual([1, '/login/%2Fuser%2Fprotect'])
  })
  test('what was done is said also where who is here can’t be asked', async () => {
    queryClient.clear()
    let done = false
    const answers = {
      '/api/user/info': () => (done ? failing('SERVICE_BUSY', '服务繁忙')() : sampleUser),
      [read]: () => noticed,
      [disown]: () => {
        done = true
        return null
      },
    }
    serve(answers)
    // As it is before anything is drawn.
    await queryClient.prefetchQuery(visitorQuery)
    await draw(<QueryClientProvider client={queryClient}>{places}</QueryClientProvider>, `/disown/${token}`)
    await press('不是我')
    await act(async () => new Promise((resolve) => setTimeout(resolve, 1_050)))
    expect(find('h1')?.textContent).toBe('已下线该设备')
    await leave()
    queryClient.clear()
  })
  test('a browser that signed itself out by it is asked to sign in', async () => {
    let ended = false
    await open({
      '/api/user/info': () => (ended ? failing('SESSION_REMOVED', '已下线')() : sampleUser),
      [disown]: () => {
        ended = true
        return null
      },
    })
    await press('不是我')
    expect(links()).toEqual([['/login/%2Fuser%2Fprotect', '下一步：登录并修改密码']])
  })
  test('a failure leads back to the question with the reason', async () => {
    await open({ [disown]: failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await press('不是我')
    expect([alertText(), button('不是我')?.ariaBusy ?? null]).toEqual(['服务繁忙，请稍后再试', null])
  })
  test('a link that was used meanwhile says so', async () => {
    await open({ [disown]: expired })
    await press('不是我')
    expect([find('h1')?.textContent, alertText()]).toEqual(['链接已失效', '该链接已使用或已过期'])
  })
})

test('是我本人 changes nothing, and can be taken back', async () => {
  await open()
  await press('是我本人')
  expect([find('h1')?.textContent, inputsOf(disown)]).toEqual(['感谢您的确认', []])
  await press('返回上一步')
  expect(button('不是我')).toBeDefined()
})

test('one that is out already can still be disowned', async () => {
  await open({ [read]: () => ({ ...noticed, live: false, region: null }) })
  expect(shownText()).toContain('该设备已经退出登录')
  expect(shownText()).toContain('未知地点')
  await press('不是我')
  expect(inputsOf(disown)).toHaveLength(1)
  expect(find('h1')?.textContent).toBe('已标记为非本人登录')
})

describe('nothing to answer', () => {
  test.each([
    [signedOut, ['/login/%2Fuser%2Fsecurity', '登录查看安全记录']],
    [{ '/api/user/info': () => sampleUser }, ['/user/security', '查看安全记录']],
  ])('a used or old link leads to the history', async (visitor, link) => {
    await open({ ...visitor, [read]: expired })
    expect([alertText(), button('不是我')]).toEqual(['该链接已使用或已过期', undefined])
    expect(links()).toEqual([link])
  })
  test.each(['/disown/short', '/disown/%3Cimg%20src=x%3E', `/disown/${token}x`])(
    '%s is no link: nothing is called',
    async (path) => {
      await open({}, path)
      expect([alertText(), inputsOf(read)]).toEqual(['该链接已使用或已过期', []])
    },
  )
  test('without a network it can be tried again', async () => {
    await open({
      [read]: () => {
        throw new TypeError('Failed to fetch')
      },
    })
    expect(alertText()).toBe('网络异常，请稍后再试')
    serve({ ...signedOut, [read]: () => noticed })
    await press('重试')
    expect(button('不是我')).toBeDefined()
  })
})
