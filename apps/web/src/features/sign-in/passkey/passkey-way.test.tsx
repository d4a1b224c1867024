// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { useSentCodes } from '../../../session/sent-codes.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
  currentAddress,
  draw,
  field,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
} from '../../../test/page.tsx'
import {
  givePasskeys,
  passkeyRequests,
  refused,
  samplePasskey,
  samplePasskeyOptions,
  sentPasskey,
  takePasskeys,
  unanswered,
} from '../../../test/passkeys.ts'
import { sampleAgreements, sampleMeta, weChatAgent } from '../../../test/samples.ts'
import LoginPage from '../login/login-page.tsx'

const words = '使用通行密钥登录'
const optionsPath = '/api/login/passkey/options'
const loginPath = '/api/login/passkey'
const refuse =
  (code: string, message = code) =>
  () => {
    throw new Refusal(code, message)
  }
const server: Answers = {
  '/api/user/info': refuse('NOT_LOGGED_IN'),
  '/api/login/entry': ({ source }) => source ?? '/user',
  '/api/login/request/create': refuse('INTERNAL_ERROR'),
  [optionsPath]: () => samplePasskeyOptions,
  [loginPath]: () => ({ id: 'u', created: false }),
}
async function open(answers: Answers = {}, path = '/login') {
  serve({ ...server, ...answers })
  await draw(<LoginPage />, path)
}
const ways = () => all('.ways button').map((way) => way.textContent)
const inField = () => passkeyRequests.filter(({ mediation }) => (mediation as string) === 'conditional')

beforeAll(async () => {
  await Promise.all([import('./passkey-way.tsx'), import('../login/agree-first.tsx'), import('../scan/scan-form.tsx')])
})
beforeEach(() => {
  takePasskeys()
  useSentCodes.setState({ codes: [] })
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})
afterEach(async () => {
  await leave()
  vi.useRealTimers()
})

describe('the button', () => {
  test('D166 S014 it stands among the other ways of every site and is none of its methods', async () => {
    givePasskeys(unanswered)
    await open()
    expect(ways()).toEqual([words, '密码登录', '微信扫码'])
    acceptMeta({ ...sampleMeta, methods: ['mobile'] })
    await open()
    expect(ways()).toEqual([words])
  })
  test('D166 it signs in and leads to the source', async () => {
    givePasskeys(async () => samplePasskey)
    await open({}, '/login/%2Fuser%2Fdevice')
    await press(words)
    expect(inputsOf(loginPath)).toEqual([{ passkey: sentPasskey }])
    expect(currentAddress()).toBe('/user/device')
  })
  test('D166 it asks for the agreements first', async () => {
    acceptMeta({ ...sampleMeta, agreements: sampleAgreements })
    givePasskeys(async () => samplePasskey)
    await open()
    await press(words)
    expect(passkeyRequests).toEqual([])
    await press('同意并继续')
    expect(inputsOf(loginPath)).toEqual([{ passkey: sentPasskey, agreements: sampleAgreements.version }])
  })
  test('D166 a passkey that the server refuses, and a request that was cancelled, are said', async () => {
    givePasskeys(async () => samplePasskey)
    await open({ [loginPath]: refuse('PASSKEY_UNKNOWN', '此通行密钥不属于该账号') })
    await press(words)
    expect(alertText()).toBe('此通行密钥不属于该账号')
    givePasskeys(refused)
    await press(words)
    expect(alertText()).toBe('未使用通行密钥登录，可重试或换一种方式')
  })
  test('D166 D167 without passkeys in the browser, and inside WeChat, nothing is shown or asked for', async () => {
    await open()
    expect([button(words), field('手机号').autocomplete]).toEqual([undefined, 'tel-national'])
    givePasskeys(unanswered, true)
    useDevice.setState({ userAgent: weChatAgent })
    await open()
    expect([button(words), field('手机号').autocomplete]).toEqual([undefined, 'tel-national'])
    expect([inputsOf(optionsPath), passkeyRequests]).toEqual([[], []])
  })
})

describe('what the browser suggests in the first field', () => {
  test('D167 passkeys are among it, and one that is chosen signs in', async () => {
    givePasskeys(async () => samplePasskey, true)
    await open()
    await settle()
    expect(inField()).toHaveLength(1)
    expect(inputsOf(loginPath)).toEqual([{ passkey: sentPasskey }])
    expect(currentAddress()).toBe('/user')
  })
  test('D167 one that the server refuses is said and not suggested again', async () => {
    givePasskeys(async () => samplePasskey, true)
    await open({ [loginPath]: refuse('PASSKEY_UNKNOWN', '此通行密钥不属于该账号') })
    await settle()
    expect([alertText(), inField().length, inputsOf(loginPath).length]).toEqual(['此通行密钥不属于该账号', 1, 1])
  })
  test('D167 the number and the account are the fields', async () => {
    givePasskeys(unanswered, true)
    await open()
    expect(field('手机号').autocomplete).toBe('tel-national webauthn')
    await press('密码登录')
    expect(field('账号').autocomplete).toBe('username webauthn')
  })
  test.each([undefined, false])('D167 a browser that suggests none (%s) is sent no options', async (suggests) => {
    givePasskeys(unanswered, suggests)
    await open()
    expect([inputsOf(optionsPath), passkeyRequests]).toEqual([[], []])
  })
  test('D167 the request ends when another way begins: the button, the scan, another page', async () => {
    givePasskeys(unanswered, true)
    await open()
    await press(words)
    expect(passkeyRequests.map(({ signal }) => signal?.aborted)).toEqual([true, false])
    await open()
    await press('微信扫码')
    expect(inField().at(-1)?.signal?.aborted).toBe(true)
    await open()
    await leave()
    expect(inField().at(-1)?.signal?.aborted).toBe(true)
  })
  test('D167 a page left open asks with a new challenge before the first expires', async () => {
    givePasskeys(unanswered, true)
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    await open()
    const renew = setTimer.mock.calls.find(([, ms]) => ms === 4 * 60_000)?.[0] as () => void
    renew()
    await settle()
    expect(inField().map(({ signal }) => signal?.aborted)).toEqual([true, false])
    expect(inputsOf(optionsPath)).toHaveLength(2)
    setTimer.mockRestore()
  })
})
