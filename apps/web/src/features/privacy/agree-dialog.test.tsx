// @vitest-environment happy-dom
import type { UserInfo } from '@hufu/contract/profile'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
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
  Refusal,
  serve,
  settle,
  shownText,
} from '../../test/page.tsx'
import { sampleAgreements, sampleMeta, sampleUser } from '../../test/samples.ts'
import HomePage from '../home/home-page.tsx'
// Known before the page asks for it.
import '../../app/rare-pages.ts'
import './agree-dialog.tsx'

const agreePath = '/api/user/agreements/agree'
const newer = { ...sampleAgreements, terms: 'https://a.example/terms-2027', version: '2027-01' }

/** A server on which one version of the agreements is in force. */
function server(user: Partial<UserInfo>, inForce = sampleAgreements): Answers {
  const known = { ...sampleUser, ...user }
  let signedIn = true
  return {
    '/api/user/info': () => {
      if (!signedIn) throw new Refusal('NOT_LOGGED_IN')
      return { ...known }
    },
    '/api/meta': () => ({ ...sampleMeta, agreements: inForce }),
    '/api/logout': () => {
      signedIn = false
      return null
    },
    [agreePath]: ({ version }) => {
      if (version !== inForce.version) throw new Refusal('AGREEMENTS_OTHER', '协议已更新，请阅读最新版本后再同意')
      known.agreements = String(version)
      return null
    },
  }
}

async function open(answers: Answers, path = '/user') {
  serve(answers)
  await draw(
    <Routes>
      <Route path="/" element={<HomePage />} />
      <Route path="*" element={<SignedIn page={<p>一页</p>} />} />
    </Routes>,
    path,
  )
}
const dialog = () => find<HTMLDialogElement>('dialog.agree')
const links = () => all('dialog.agree p a').map((each) => each.getAttribute('href'))

afterEach(leave)
beforeEach(() => acceptMeta({ ...sampleMeta, agreements: sampleAgreements }))

describe('agreements', () => {
  test('D080 a user who agreed to the version in force is asked nothing', async () => {
    await open(server({ agreements: '2026-11' }))
    expect([shownText(), dialog()]).toEqual(['一页', null])
  })
  test('nor any user where the site has none', async () => {
    acceptMeta(sampleMeta)
    await open(server({ agreements: null }))
    expect(dialog()).toBeNull()
  })
  test.each([
    ['2025-06', '协议已更新'],
    [null, '请阅读并同意'],
  ])('D080 who agreed to %s is asked: %s', async (agreements, title) => {
    await open(server({ agreements }), '/merchant/users')
    expect([find('dialog h2')?.textContent, dialog()?.open]).toEqual([title, true])
    expect(links()).toEqual(['https://a.example/terms', 'https://a.example/privacy'])
    expect(document.activeElement).toBe(find('dialog h2'))
    await press('同意并继续')
    expect(inputsOf(agreePath)).toEqual([{ version: '2026-11' }])
    expect([dialog(), shownText()]).toEqual([null, '一页'])
  })
  test('Esc doesn’t close it, nor does the second one, which browsers let through', async () => {
    await open(server({ agreements: null }))
    const cancel = new Event('cancel', { cancelable: true })
    await act(async () => dialog()?.dispatchEvent(cancel))
    expect(cancel.defaultPrevented).toBe(true)
    await act(async () => dialog()?.close())
    await settle()
    expect(dialog()?.open).toBe(true)
  })
  test('退出登录 instead of agreeing', async () => {
    await open(server({ agreements: null }))
    await press('退出登录')
    expect([currentAddress(), dialog(), inputsOf(agreePath)]).toEqual(['/', null, []])
  })
  test('a version that is newer still is fetched and asked about', async () => {
    await open(server({ agreements: '2025-06' }, newer))
    await press('同意并继续')
    expect(alertText()).toBe('协议已更新，请阅读最新版本后再同意')
    expect([links()[0], shownText().includes('版本 2027-01')]).toEqual([newer.terms, true])
    await press('同意并继续')
    expect(inputsOf(agreePath)).toEqual([{ version: '2026-11' }, { version: '2027-01' }])
    expect(dialog()).toBeNull()
  })
  test.each(['/user/privacy', '/user/closeAccount', '/user/protect', '/user/security', '/user/twoFactor/authorize'])(
    'it holds up no user at %s',
    async (path) => {
      await open(server({ agreements: null }), path)
      expect([shownText(), dialog()]).toEqual(['一页', null])
      await open(server({ agreements: null }), `${path}/`)
      expect(dialog()).toBeNull()
    },
  )
  test.each(['/user', '/user/changePassword', '/user/feedback', '/merchant'])('it stays at %s', async (path) => {
    await open(server({ agreements: null }), path)
    expect(dialog()?.open).toBe(true)
  })
  test('who doesn’t agree is shown the way to the own data, and isn’t asked there', async () => {
    await open(server({ agreements: null }))
    const way = find('dialog.agree a[href="/user/privacy"]')
    expect(way?.textContent).toBe('不同意？可以导出数据或注销账号')
    await act(async () => way?.click())
    await settle()
    expect([currentAddress(), dialog(), inputsOf(agreePath)]).toEqual(['/user/privacy', null, []])
  })
  test('a sign-out that fails is told in the dialog, until something else is tried', async () => {
    const answers = server({ agreements: null })
    await open({ ...answers, '/api/logout': failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await press('退出登录')
    expect(find('dialog.agree [role=alert]')?.textContent).toBe('服务繁忙，请稍后再试')
    serve({ ...answers, [agreePath]: failing('TOO_MANY_REQUESTS', '操作过于频繁，请稍后再试') })
    await press('同意并继续')
    expect(alertText()).toBe('操作过于频繁，请稍后再试')
    serve(answers)
    await press('退出登录')
    expect(currentAddress()).toBe('/')
  })
  test('without a network it says so and stays', async () => {
    const { [agreePath]: _, ...offline } = server({ agreements: null })
    await open(offline)
    await press('同意并继续')
    expect([alertText(), button('同意并继续')?.getAttribute('aria-busy')]).toEqual(['网络异常，请稍后再试', null])
  })
})
