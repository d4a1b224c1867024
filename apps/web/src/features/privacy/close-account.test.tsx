// @vitest-environment happy-dom
import type { UserInfo } from '@hufu/contract/profile'
import { QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { Link, Route, Routes, useNavigate } from 'react-router'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import TwoFactorPage from '../../identity/step-up/two-factor-page.tsx'
import { queryClient } from '../../lib/call/query-client.ts'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  alertText,
  button,
  currentAddress,
  draw,
  failing,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
  type,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import UserPage from '../profile/user-page.tsx'
import CloseAccountPage from './close-account-page.tsx'

const day = 86_400_000
const checkPath = '/user/twoFactor/authorize'
const closePath = '/api/user/account/close'

/** A server on which the check is by password. */
function server(user: Partial<UserInfo> = {}, checked = false): Answers {
  const known = { ...sampleUser, mobile: null, mobilePrefix: null, twoFactor: checked, ...user }
  return {
    '/api/user/info': () => ({ ...known }),
    '/api/user/token/list': () => ({ count: 0, data: [] }),
    '/api/user/twoFactor/state': () => ({ twoFactor: known.twoFactor, way: 'password', second: [] }),
    '/api/user/twoFactor/verify': () => {
      known.twoFactor = true
      return null
    },
    [closePath]: () => {
      if (!known.twoFactor) throw new Refusal('TWO_FACTOR_REQUIRED')
      known.closing = Date.now() + 7 * day
      return { due: known.closing }
    },
    '/api/user/account/keep': () => {
      known.closing = null
      return null
    },
  }
}

/** The browser's own button. */
function Back() {
  const navigate = useNavigate()
  return (
    <button type="button" onClick={() => navigate(-1)}>
      后退
    </button>
  )
}
async function open(answers: Answers, path = '/user/closeAccount') {
  serve(answers)
  await draw(
    <>
      <Routes>
        <Route path="/user" element={<SignedIn page={<UserPage />} />} />
        <Route path="/user/closeAccount" element={<SignedIn page={<CloseAccountPage />} />} />
        <Route path={checkPath} element={<SignedIn page={<TwoFactorPage />} />} />
        <Route path="/user/privacy" element={<Link to="/user/closeAccount">去</Link>} />
      </Routes>
      <Toaster />
      <Back />
    </>,
    path,
  )
}
async function tick() {
  await act(async () => find('.tick input')?.click())
}
async function check() {
  await type('登录密码', 'Qingyu#2026')
  await press('验证')
}
const toast = () => find('.toast')?.textContent

afterEach(leave)
beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
  window.history.replaceState({ idx: 5 }, '')
})

describe('closing', () => {
  test('says what is erased, what stays and for how long, and wants a tick first', async () => {
    await open(server())
    for (const fact of ['不可恢复', '7 天', '183 天', '其他网站会收到通知', '全新的账号', '导出我的数据'])
      expect(shownText()).toContain(fact)
    expect(button('申请注销')?.disabled).toBe(true)
    await tick()
    expect(button('申请注销')?.disabled).toBe(false)
  })
  test('D073 leads to the check, asks once more after it, and then shows the day', async () => {
    await open(server())
    await tick()
    await press('申请注销')
    expect([currentAddress(), inputsOf(closePath)]).toEqual([checkPath, []])
    await check()
    expect([currentAddress(), find<HTMLInputElement>('.tick input')?.checked]).toEqual(['/user/closeAccount', true])
    expect(find('dialog h2')?.textContent).toBe('确定申请注销？')
    expect(inputsOf(closePath)).toEqual([])
    await press('确定注销')
    expect(inputsOf(closePath)).toEqual([{}])
    expect([toast(), button('申请注销'), button('撤销注销') !== undefined]).toEqual(['已申请注销', undefined, true])
    expect(shownText()).toContain('还剩 7 天')
    expect(document.activeElement?.id).toBe('main')
  })
  test('a check in force isn’t asked for again, and the question can be declined', async () => {
    await open(server({}, true))
    await tick()
    await press('申请注销')
    expect([currentAddress(), find('dialog') !== null]).toEqual(['/user/closeAccount', true])
    await press('取消')
    expect([find('dialog'), inputsOf(closePath)]).toEqual([null, []])
  })
  test('who comes back from the check without it isn’t asked on', async () => {
    await open(server())
    await tick()
    await press('申请注销')
    await press('后退')
    expect([currentAddress(), find('dialog')]).toEqual(['/user/closeAccount', null])
  })
  test.each([
    ['LAST_ADMIN', '至少要保留一位管理员，请先为其他人授权'],
    ['TOO_MANY_REQUESTS', '操作过于频繁，请稍后再试'],
    ['SECOND_TOO_FRESH', '登录方式在新设备上刚刚更改过'],
  ])('%s is told in the question', async (code, message) => {
    await open({ ...server({}, true), [closePath]: failing(code, message) })
    await tick()
    await press('申请注销')
    await press('确定注销')
    expect([alertText(), find('dialog') !== null]).toEqual([message, true])
  })
  test('a check that ran out before the last question is made again', async () => {
    const answers = server({}, true)
    await open({ ...answers, [closePath]: failing('TWO_FACTOR_REQUIRED', '当前操作需要先验证您的身份') })
    await tick()
    await press('申请注销')
    serve({ ...server(), [closePath]: failing('TWO_FACTOR_REQUIRED', '当前操作需要先验证您的身份') })
    await press('确定注销')
    expect(currentAddress()).toBe(checkPath)
    await check()
    expect(find('dialog h2')?.textContent).toBe('确定申请注销？')
  })
  test('without a network the press is answered at once, as patient as the product is elsewhere', async () => {
    queryClient.clear()
    const { '/api/user/twoFactor/state': _, ...offline } = server()
    serve(offline)
    const page = <SignedIn page={<CloseAccountPage />} />
    await draw(<QueryClientProvider client={queryClient}>{page}</QueryClientProvider>, '/user/closeAccount')
    await tick()
    await press('申请注销')
    expect([alertText(), button('申请注销')?.ariaBusy ?? null]).toEqual(['网络异常，请稍后再试', null])
    await leave()
    queryClient.clear()
  })
  test('asked for on another device already: the day shows', async () => {
    const { [closePath]: _, ...rest } = server({ closing: Date.now() + 3 * day }, true)
    await open(server({}, true))
    await tick()
    await press('申请注销')
    serve({ ...rest, [closePath]: failing('CLOSING_ALREADY', '您已申请注销，无需重复操作') })
    await press('确定注销')
    expect([find('dialog'), shownText().includes('还剩 3 天')]).toEqual([null, true])
  })
})

describe('keeping', () => {
  test('the user centre shows the day; a tap and a confirmation keep the account', async () => {
    await open(server({ closing: Date.now() + 6.5 * day }), '/user')
    expect(shownText()).toMatch(/账号将于 .+ 注销还剩 7 天/)
    await press('撤销注销')
    expect(inputsOf('/api/user/account/keep')).toEqual([])
    await act(async () => find('dialog .btn.main')?.click())
    await settle()
    expect(inputsOf('/api/user/account/keep')).toEqual([{}])
    expect([toast(), button('撤销注销'), shownText().includes('账号将于')]).toEqual(['已撤销注销', undefined, false])
    expect(document.activeElement?.id).toBe('main')
  })
  test('the last day says so, and nothing shows where nothing was asked for', async () => {
    await open(server({ closing: Date.now() + day / 2 }))
    expect(shownText()).toContain('剩余不足 1 天')
    await open(server(), '/user')
    expect(button('撤销注销')).toBeUndefined()
  })
  test('a refusal stays in the question', async () => {
    const refuse = failing('TOO_MANY_REQUESTS', '操作过于频繁，请稍后再试')
    await open({ ...server({ closing: Date.now() + day }), '/api/user/account/keep': refuse })
    await press('撤销注销')
    await act(async () => find('dialog .btn.main')?.click())
    await settle()
    expect([alertText(), find('dialog') !== null]).toEqual(['操作过于频繁，请稍后再试', true])
  })
})
