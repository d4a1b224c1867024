// @vitest-environment happy-dom
import { Route, Routes } from 'react-router'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  alertText,
  button,
  currentAddress,
  draw,
  hasField,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  shownText,
  type,
} from '../../test/page.tsx'
import { givePasskeys, samplePasskey, samplePasskeyOptions, sentPasskey, takePasskeys } from '../../test/passkeys.ts'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { afterFactor, type CheckState } from './two-factor.api.ts'
import TwoFactorPage from './two-factor-page.tsx'

const totp = '验证器应用中的六位动态验证码'
const verify = '/api/user/twoFactor/verify'

/** A server that knows whether a factor was given. */
function server(state: Partial<CheckState> = {}): Answers {
  let known: CheckState = {
    twoFactor: false,
    way: null,
    second: [],
    factors: ['passkey', 'totp', 'recovery'],
    ...state,
  }
  return {
    '/api/user/info': () => ({ ...sampleUser, protected: true, twoFactor: known.twoFactor }),
    '/api/user/twoFactor/state': () => known,
    '/api/user/twoFactor/passkey/options': () => samplePasskeyOptions,
    [verify]: ({ totp: code }) => {
      if (code === '000000') throw new Refusal('FACTOR_WRONG', '验证未通过，请核对后重试')
      known = afterFactor(known)
      return null
    },
  }
}
async function open(answers: Answers) {
  serve(answers)
  await draw(
    <Routes>
      <Route path="/user" element="起点" />
      <Route path="/user/twoFactor/authorize" element={<SignedIn page={<TwoFactorPage />} />} />
    </Routes>,
    '/user/twoFactor/authorize',
  )
}

beforeAll(async () => {
  await Promise.all([import('./factor-step.tsx'), import('../factor/passkey.ts')])
})
beforeEach(async () => {
  await leave()
  takePasskeys()
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

test('D168 a protected account is asked for a factor and for no code by SMS, whatever way it has', async () => {
  await open(server({ way: 'mobile', second: ['password', 'email'] }))
  expect(shownText()).toContain('您已开启登录保护，请再验证一次')
  expect([hasField(totp), hasField('手机号'), button('发送验证码')]).toEqual([true, false, undefined])
})
test('D168 six digits submit by themselves and lead back; a wrong one is said under the field', async () => {
  await open(server({ second: ['password'] }))
  await type(totp, '000000')
  expect(alertText()).toBe('验证未通过，请核对后重试')
  await type(totp, '704123')
  expect(inputsOf(verify)).toEqual([{ totp: '000000' }, { totp: '704123' }])
  expect(currentAddress()).toBe('/user')
})
test('D168 so do a recovery code and a passkey', async () => {
  await open(server())
  await press('恢复码')
  await type('恢复码', 'K7QD-X4MP-9WTR')
  await press('验证')
  expect(inputsOf(verify)).toEqual([{ recovery: 'K7QD-X4MP-9WTR' }])
  expect(currentAddress()).toBe('/user')
  givePasskeys(async () => samplePasskey)
  await open(server())
  await press('通行密钥')
  expect(inputsOf(verify)).toEqual([{ passkey: sentPasskey }])
  expect(currentAddress()).toBe('/user')
})
test('D168 other accounts are asked as before', async () => {
  await open(server({ way: 'mobile', factors: [] }))
  expect([hasField(totp), hasField('手机号')]).toEqual([false, true])
})
