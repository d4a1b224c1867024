import type { FactorState, Passkey } from '@hufu/contract/factors'
import type { UserInfo } from '@hufu/contract/profile'
import { act } from 'react'
import { Link, Route, Routes } from 'react-router'
import { SignedIn } from '../app/signed-in.tsx'
import CodesPage from '../features/protection/codes/codes-page.tsx'
import PasskeysPage from '../features/protection/passkeys/passkeys-page.tsx'
import ProtectionPage from '../features/protection/protection-page.tsx'
import TotpPage from '../features/protection/totp/totp-page.tsx'
import TwoFactorPage from '../identity/step-up/two-factor-page.tsx'
import { useDevice } from '../lib/device/device.ts'
import { acceptMeta } from '../site/site.store.ts'
import { Toaster } from '../ui/toast.tsx'
import { type Answers, draw, find, serve, settle } from './page.tsx'
import { sampleMeta, sampleUser } from './samples.ts'

export const noFactors: FactorState = {
  protected: false,
  passkeys: [],
  totp: null,
  recovery: null,
  trusted: 0,
  trust: true,
  operator: false,
  recoverable: true,
  enrolment: false,
  otherWay: true,
}

export const samplePasskey: Passkey = {
  id: '8c41f0b2-5b1e-4d0c-a2f7-19c0de8b6a50',
  name: 'iPhone',
  created: new Date(2020, 10, 3).getTime(),
  lastUsed: new Date(2020, 10, 12, 8, 12).getTime(),
  synced: true,
}

export const allFactors: FactorState = {
  ...noFactors,
  protected: true,
  passkeys: [samplePasskey, { ...samplePasskey, id: samplePasskey.id.replace(/0$/, '1'), name: 'Mac', lastUsed: null }],
  totp: { created: samplePasskey.created, lastUsed: null },
  recovery: { created: samplePasskey.created, left: 8 },
  trusted: 3,
}

export const newCodes = Array.from({ length: 10 }, (_, place) => `AAAA-BBBB-CCC${place}`)

const of = '/api/user/factor/'

/** A server that holds these factors and changes them as the calls ask. */
export function factorServer(
  opening: FactorState,
  { checked = true, ...user }: Partial<UserInfo & { checked: boolean }> = {},
) {
  let state = opening
  let twoFactor = checked
  const become = (change: Partial<FactorState>) => {
    state = { ...state, ...change }
    return null
  }
  const added = (change: Partial<FactorState>) => {
    const first = state.recovery === null
    become({ ...change, protected: true, recovery: state.recovery ?? { created: 0, left: 10 } })
    return { id: samplePasskey.id, recoveryCodes: first ? newCodes : null }
  }
  const answers: Answers = {
    '/api/user/info': () => ({ ...sampleUser, ...user, twoFactor, protected: state.protected }),
    '/api/user/twoFactor/state': () => ({ twoFactor, way: 'password', second: [], factors: [] }),
    '/api/user/twoFactor/verify': () => {
      twoFactor = true
      return null
    },
    [`${of}state`]: () => state,
    [`${of}totp/begin`]: () => ({
      secret: 'JBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Qingyu:lin?secret=JBSWY3DPEHPK3PXP',
    }),
    [`${of}totp/confirm`]: () => added({ totp: { created: Date.now(), lastUsed: null } }),
    [`${of}totp/remove`]: () => become({ totp: null }),
    [`${of}passkey/begin`]: () => creation,
    [`${of}passkey/add`]: () => added({ passkeys: [...state.passkeys, samplePasskey] }),
    [`${of}passkey/rename`]: ({ id, name }) =>
      become({ passkeys: state.passkeys.map((each) => (each.id === id ? { ...each, name: String(name) } : each)) }),
    [`${of}passkey/remove`]: ({ id }) => become({ passkeys: state.passkeys.filter((each) => each.id !== id) }),
    [`${of}recovery/renew`]: () => ({ recoveryCodes: newCodes }),
    [`${of}trusted/forget`]: () => become({ trusted: 0 }),
    [`${of}removeAll`]: () => become(noFactors),
  }
  return answers
}

const creation = {
  challenge: 'AAAA',
  rp: { id: 'localhost', name: 'x' },
  user: { id: 'AAAA', name: 'x', displayName: 'x' },
  pubKeyCredParams: [],
}

/** A browser with WebAuthn, that answers as given. */
export function withAuthenticator(create: () => Promise<unknown>) {
  Object.assign(window, { PublicKeyCredential: class {} })
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create } })
}

const bytes = new Uint8Array([1, 2, 3]).buffer

/** A new passkey, as the browser hands it out. */
export const createdPasskey = async () => ({
  id: 'AQID',
  rawId: bytes,
  type: 'public-key',
  authenticatorAttachment: 'platform',
  getClientExtensionResults: () => ({}),
  response: { clientDataJSON: bytes, attestationObject: bytes, getTransports: () => ['internal'] },
})

export const refusedPasskey = (name: string) => async () => {
  throw new DOMException('refused', name)
}

const pages = {
  '/user/protection': <ProtectionPage />,
  '/user/protection/passkeys': <PasskeysPage />,
  '/user/protection/totp': <TotpPage />,
  '/user/protection/codes': <CodesPage />,
  '/user/twoFactor/authorize': <TwoFactorPage />,
}

/** Opens a page of 登录保护 from the user centre; with `idx` 0 it is the first of the browser's history. */
export async function openProtection(path: keyof typeof pages, answers: Answers, device: object = {}, idx = 5) {
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844, ...device }, true)
  acceptMeta(sampleMeta)
  window.history.replaceState({ idx }, '')
  serve(answers)
  await draw(
    <>
      <Routes>
        <Route path="/user" element={<Link to={path}>去</Link>} />
        {Object.entries(pages).map(([address, page]) => (
          <Route key={address} path={address} element={<SignedIn page={page} />} />
        ))}
        <Route path="*" element="别处" />
      </Routes>
      <Toaster />
    </>,
    '/user',
  )
  await act(async () => find(`a[href="${path}"]`)?.click())
  await settle()
}
