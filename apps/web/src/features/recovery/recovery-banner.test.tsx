// @vitest-environment happy-dom
import type { UserInfo } from '@hufu/contract/profile'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useUser } from '../../session/profile.api.ts'
import { alertText, draw, failing, find, inputsOf, leave, press, serve, shownText } from '../../test/page.tsx'
import { sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import { keepProgress, readProgress } from './progress.ts'
import { RecoveryBanner } from './recovery-banner.tsx'

const hour = 3_600_000
const ready = new Date(2026, 10, 18, 15, 30).getTime()

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 15, 15, 30) })
  await leave()
  sessionStorage.clear()
})
afterAll(() => void vi.useRealTimers())

describe('the banner of the user centre', () => {
  function Banner() {
    const { user } = useUser()
    return user ? <RecoveryBanner user={user} /> : null
  }
  const cancelPath = '/api/user/recovery/cancel'
  const show = async (user: Partial<UserInfo>, cancel: () => unknown = () => null) => {
    serve({ '/api/user/info': () => ({ ...sampleUser, ...user }), [cancelPath]: cancel })
    await draw(
      <>
        <Toaster />
        <main id="main" tabIndex={-1}>
          <Banner />
        </main>
      </>,
    )
  }

  test('without a recovery nothing is shown', async () => {
    await show({})
    expect(find('.recovery-banner')).toBeNull()
  })

  test('D174 lost factors are named, before and after the wait', async () => {
    await show({ recovery: ready, recoveryPurpose: 'factor' })
    expect(shownText()).toContain('正在移除登录保护，11 月 18 日 15:30 之后可移除全部验证方式')
    await press('取消移除')
    expect(shownText()).toContain('停止后，登录保护保持不变')
    await press('停止移除')
    expect([inputsOf(cancelPath), find('.recovery-banner')]).toEqual([[{}], null])
    await show({ recovery: Date.now() - hour, recoveryPurpose: 'factor' })
    expect(shownText()).toContain('正在移除登录保护，等待期已结束')
  })

  test('after the wait it says so', async () => {
    await show({ recovery: Date.now() - hour })
    expect(shownText()).toContain('正在更换停用的手机号，等待期已结束，可设置新手机号')
  })

  test('it tells from when, and asks before it ends it', async () => {
    await show({ recovery: ready })
    expect(shownText()).toContain('11 月 18 日 15:30 之后可设置新手机号')
    expect(shownText()).toContain('如非本人操作，请立即取消')
    await press('取消更换')
    expect(inputsOf(cancelPath)).toEqual([])
    await press('停止更换')
    expect(inputsOf(cancelPath)).toEqual([{}])
    expect(find('.recovery-banner')).toBeNull()
    expect(find('.toast')?.textContent).toContain('已停止更换')
    expect(document.activeElement?.id).toBe('main')
  })

  test('a page of the recovery in the same tab begins anew', async () => {
    keepProgress({
      ticket: 'ticket',
      email: 'w****@mail.example',
      standing: { stage: 'waiting', purpose: 'mobile', protected: false, ready, expires: null },
    })
    await show({ recovery: ready })
    await press('取消更换')
    expect(readProgress()).toBeDefined()
    await press('停止更换')
    expect(readProgress()).toBeUndefined()
  })

  test('a refusal stays in the dialog; one that is over already is as good', async () => {
    await show({ recovery: Date.now() + hour }, failing('SERVICE_BUSY', '服务繁忙，请稍后再试'))
    await press('取消更换')
    await press('停止更换')
    expect(alertText()).toBe('服务繁忙，请稍后再试')
    await show({ recovery: Date.now() + hour }, failing('RECOVERY_NONE', '没有进行中的更换手机号申请'))
    await press('取消更换')
    await press('停止更换')
    expect(find('.recovery-banner')).toBeNull()
  })
})
