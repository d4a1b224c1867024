// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Route, Routes } from 'react-router'
import { beforeEach, describe, expect, test } from 'vitest'
import { useUser } from '../../session/profile.api.ts'
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
  serve,
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { keepProgress, readProgress } from './progress.ts'
import StopPage from './stop-page.tsx'

const ready = Date.now() + 3_600_000
/** As in the product: what is known holds for a while, however many parts of a page ask for it. */
const patient = () => new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } })
const title = () => find('h1')?.textContent

beforeEach(async () => {
  await leave()
  sessionStorage.clear()
  acceptMeta(sampleMeta)
})

describe("the notice's link", () => {
  const token = 'a'.repeat(43)
  const Known = () => <output>{String(useUser().user?.recovery)}</output>
  const page = () => (
    <QueryClientProvider client={patient()}>
      <Routes>
        <Route path="/recover/stop/:token" element={<StopPage />} />
        <Route path="*" element={null} />
      </Routes>
      <Known />
    </QueryClientProvider>
  )
  const openLink = async (answers: Answers, query = '') => {
    serve({ '/api/user/info': failing('NOT_LOGGED_IN', ''), ...answers })
    await draw(page(), `/recover/stop/${token}${query}`)
  }

  test('opening it does nothing', async () => {
    await openLink({ '/api/recovery/stop': () => null })
    expect(title()).toBe('有人申请为您的账号更换停用的手机号')
    expect(inputsOf('/api/recovery/stop')).toEqual([])
  })

  test('D174 the link of a notice about lost factors says so', async () => {
    await openLink({ '/api/recovery/stop': () => null }, '?purpose=factor')
    expect(title()).toBe('有人申请移除您账号的登录保护')
    await press('不是我，立即停止')
    expect([title(), inputsOf('/api/recovery/stop')]).toEqual(['已停止移除登录保护', [{ token }]])
  })

  test('a tap stops it and leads to a new password', async () => {
    await openLink({ '/api/recovery/stop': () => null })
    await press('不是我，立即停止')
    expect(inputsOf('/api/recovery/stop')).toEqual([{ token }])
    expect([title(), shownText().includes('并修改邮箱密码')]).toEqual(['已停止更换停用的手机号', true])
    expect(find('a[href="/login/%2Fuser%2Fprotect"]')?.textContent).toBe('登录并修改密码')
  })

  test('who asked for it needs to do nothing', async () => {
    await openLink({ '/api/recovery/stop': () => null })
    await press('是我本人')
    expect([title(), inputsOf('/api/recovery/stop')]).toEqual(['无需任何操作', []])
    expect(find('a[href="/recover"]')).not.toBeNull()
  })

  test('a link that is used or old says so; trouble of the network can be tried again', async () => {
    await openLink({ '/api/recovery/stop': failing('NOTICE_EXPIRED', '该链接已使用或已过期') })
    await press('不是我，立即停止')
    expect(title()).toBe('链接已失效')
    expect(shownText()).toContain('申请可能已经停止，登录后可在用户中心确认')
    expect(find('a[href="/login/%2Fuser"]')?.textContent).toBe('登录查看账号')
    expect(button('不是我，立即停止')).toBeUndefined()
    await openLink({})
    await press('不是我，立即停止')
    expect(alertText()).toBe('网络异常，请稍后再试')
    expect(button('不是我，立即停止')).toBeDefined()
  })

  test('a link cut short by a mail program is told apart', async () => {
    await openLink({ '/api/recovery/stop': failing('INPUT_INVALID', '输入的内容有误') })
    await press('不是我，立即停止')
    expect(title()).toBe('链接不完整')
  })

  describe('signed in', () => {
    const signedIn = (answers: Answers) => openLink({ '/api/user/info': () => sampleUser, ...answers })

    test('it is said as whom; another account is one tap away', async () => {
      await signedIn({ '/api/recovery/stop': () => null, '/api/logout': () => null })
      await press('不是我，立即停止')
      expect(find('a[href="/user/protect"]')?.textContent).toBe('修改密码')
      expect(shownText()).toContain('当前登录账号：林知夏')
      await press('退出并登录其他账号')
      expect([inputsOf('/api/logout').length, currentAddress()]).toEqual([1, '/login/%2Fuser%2Fprotect'])
    })

    test('an old link leads to the user centre of the account named', async () => {
      await signedIn({ '/api/recovery/stop': failing('NOTICE_EXPIRED', '该链接已使用或已过期') })
      await press('不是我，立即停止')
      expect(find('a[href="/user"]')?.textContent).toBe('前往用户中心')
      expect(shownText()).toContain('当前登录账号：林知夏')
    })

    test('what was known of the recovery holds no longer, neither of the person nor in this tab', async () => {
      keepProgress({
        ticket: 'ticket',
        email: 'w****@mail.example',
        standing: { stage: 'waiting', purpose: 'mobile', protected: false, ready, expires: null },
      })
      let recovery: number | null = ready
      const stop = () => {
        recovery = null
        return null
      }
      await signedIn({ '/api/user/info': () => ({ ...sampleUser, recovery }), '/api/recovery/stop': stop })
      expect(find('output')?.textContent).toBe(String(ready))
      await press('不是我，立即停止')
      expect([find('output')?.textContent, readProgress()]).toEqual(['null', undefined])
    })
  })
})
