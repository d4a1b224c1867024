// @vitest-environment happy-dom
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Route, Routes, useLocation } from 'react-router'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { MerchantFrame } from '../frame/merchant-frame.tsx'
import { call } from '../lib/call/call.ts'
import { useDevice } from '../lib/device/device.ts'
import { acceptMeta } from '../site/site.store.ts'
import {
  type Answers,
  currentAddress,
  draw,
  failing,
  field,
  find,
  hasField,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
  type,
} from '../test/page.tsx'
import { takePasskeys } from '../test/passkeys.ts'
import { sampleMeta, sampleUser } from '../test/samples.ts'
import { BackOffice } from './back-office.tsx'
import { SignedIn } from './signed-in.tsx'

const operator = { ...sampleUser, permission: { MERCHANT: ['READ'] } }
const totp = '验证器应用中的六位动态验证码'
const readPath = '/api/merchant/menu/read'

/** A page with something typed and something read. */
function Desk() {
  const [note, setNote] = useState('')
  const { data } = useQuery({ queryKey: ['desk'], queryFn: () => call(readPath as never) })
  return (
    <MerchantFrame title="用户管理">
      <input aria-label="便笺" value={note} onChange={(event) => setNote(event.target.value)} />
      <output>{data === undefined ? '' : '已读取'}</output>
    </MerchantFrame>
  )
}
const From = () => <output>{String((useLocation().state as { from?: string } | null)?.from)}</output>

async function open(answers: Answers) {
  serve({ '/api/user/info': () => operator, [readPath]: () => ({}), ...answers })
  const page = (
    <SignedIn
      page={
        <BackOffice>
          <Desk />
        </BackOffice>
      }
    />
  )
  await draw(
    <Routes>
      <Route path="/merchant/users" element={page} />
      <Route path="/user/protection" element={<From />} />
      <Route path="*" element={null} />
    </Routes>,
    '/merchant/users?search=lin',
  )
}
const link = (words: string) =>
  [...document.querySelectorAll<HTMLAnchorElement>('a')].find((each) => each.textContent === words)

beforeAll(async () => {
  await import('../identity/step-up/check-dialog.tsx')
})
beforeEach(async () => {
  await leave()
  takePasskeys()
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('an operator without a second factor', () => {
  test('D170 any refused call shows one page with the reason and the way to enrol, which knows the way back', async () => {
    await open({ [readPath]: failing('FACTOR_ENROL_REQUIRED', '') })
    expect(shownText()).toContain('请先开启登录保护')
    expect(find('[aria-label=便笺]')).toBeNull()
    link('开启登录保护')?.click()
    await settle()
    expect([currentAddress(), find('output')?.textContent]).toEqual(['/user/protection', '/merchant/users?search=lin'])
  })
  test('D170 the page is shown without a call where the time is known to be over', async () => {
    await open({ '/api/user/info': () => ({ ...operator, enrolBy: 0 }) })
    expect(shownText()).toContain('请先开启登录保护')
    expect(inputsOf(readPath)).toEqual([])
  })
  test('D170 it is gone as soon as the account is protected', async () => {
    let enrolled = false
    await open({ '/api/user/info': () => ({ ...operator, protected: enrolled, enrolBy: enrolled ? null : 0 }) })
    enrolled = true
    window.dispatchEvent(new Event('visibilitychange'))
    await vi.waitFor(async () => {
      await settle()
      expect(find('[aria-label=便笺]')).not.toBeNull()
    })
  })
  test('D171 until then a banner names the last day in China and leads to the enrolment', async () => {
    const enrolBy = Date.UTC(2099, 10, 30, 16)
    await open({ '/api/user/info': () => ({ ...operator, enrolBy }) })
    expect(find('.enrol-banner')?.textContent).toContain('11 月 30 日之后，未开启登录保护的账号将无法使用管理后台')
    expect(find('.enrol-banner a')?.getAttribute('href')).toBe('/user/protection')
    await open({})
    expect(find('.enrol-banner')).toBeNull()
  })
})

describe('a factor that is older than twelve hours', () => {
  const owed: Answers = {
    '/api/user/info': () => ({ ...operator, protected: true }),
    '/api/user/twoFactor/state': () => ({ twoFactor: false, way: null, second: [], factors: ['totp', 'recovery'] }),
    '/api/user/twoFactor/verify': () => null,
  }
  const shown = () =>
    vi.waitFor(async () => {
      await settle()
      expect(hasField(totp)).toBe(true)
    })

  test('D172 is asked for over the page, which keeps what was typed and reads again', async () => {
    let given = false
    await open({
      ...owed,
      [readPath]: () => {
        if (!given) throw new Refusal('TWO_FACTOR_REQUIRED', '', { factor: true }, 403)
        return {}
      },
      '/api/user/twoFactor/verify': () => {
        given = true
        return null
      },
    })
    await type('便笺', '写了一半')
    await shown()
    await type(totp, '704123')
    expect(inputsOf('/api/user/twoFactor/verify')).toEqual([{ totp: '704123' }])
    expect(find('dialog')).toBeNull()
    expect([field('便笺').value, shownText().includes('已读取')]).toEqual(['写了一半', true])
  })
  test('D172 who does not want to leaves the back-office', async () => {
    await open({
      ...owed,
      [readPath]: () => {
        throw new Refusal('TWO_FACTOR_REQUIRED', '', { factor: true }, 403)
      },
    })
    await shown()
    await press('暂不验证，返回用户中心')
    expect(currentAddress()).toBe('/user')
  })
  test('D172 a step-up that is no question of the factor is left to the page', async () => {
    await open({
      ...owed,
      [readPath]: () => {
        throw new Refusal('TWO_FACTOR_REQUIRED', '', undefined, 403)
      },
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await settle()
    expect(find('dialog')).toBeNull()
  })
})
