import type { pages } from '@hufu/contract/pages'

type Common = 'home' | 'login' | 'loginWithSource' | 'secondStep' | 'loginApprove' | 'user' | 'userFeedbackItem'
type Rare = Exclude<keyof typeof pages, Common | 'preview' | `merchant${string}`>

/** The pages that few visits open, by their name in the contract, each its own chunk. */
export const rarePages = {
  recover: () => import('../features/recovery/recover-page.tsx'),
  stopRecovery: () => import('../features/recovery/stop-page.tsx'),
  changeMobile: () => import('../features/account/change-mobile-page.tsx'),
  changePassword: () => import('../features/account/change-password-page.tsx'),
  changeEmail: () => import('../features/account/change-email-page.tsx'),
  changeUsername: () => import('../features/account/change-username-page.tsx'),
  authorize: () => import('../features/authorize/authorize-page.tsx'),
  loginAuthorize: () => import('../features/authorize/login-authorize-page.tsx'),
  consent: () => import('../features/oidc/consent/consent-page.tsx'),
  deviceLogin: () => import('../features/oidc/device/type-code-page.tsx'),
  deviceApprove: () => import('../features/oidc/device/device-page.tsx'),
  authorizeError: () => import('../features/oidc/error/authorize-error-page.tsx'),
  confirmLogout: () => import('../features/oidc/logout/confirm-logout-page.tsx'),
  loggedOut: () => import('../features/oidc/logout/logged-out-page.tsx'),
  authorizations: () => import('../features/oidc/authorizations/authorizations-page.tsx'),
  undo: () => import('../features/undo/undo-page.tsx'),
  disown: () => import('../features/security/disown-page.tsx'),
  security: () => import('../features/security/security-page.tsx'),
  protect: () => import('../features/security/protect-page.tsx'),
  protection: () => import('../features/protection/protection-page.tsx'),
  protectionPasskeys: () => import('../features/protection/passkeys/passkeys-page.tsx'),
  protectionTotp: () => import('../features/protection/totp/totp-page.tsx'),
  protectionCodes: () => import('../features/protection/codes/codes-page.tsx'),
  privacy: () => import('../features/privacy/privacy-page.tsx'),
  closeAccount: () => import('../features/privacy/close-account-page.tsx'),
  wechat: () => import('../features/account/wechat-page.tsx'),
  userFeedback: () => import('../features/feedback/user-feedback-page.tsx'),
  onlineDevices: () => import('../features/devices/devices-page.tsx'),
  twoFactor: () => import('../identity/step-up/two-factor-page.tsx'),
  device: () => import('../features/profile/device-page.tsx'),
  theme: () => import('../features/profile/theme-page.tsx'),
} satisfies Record<Rare, () => Promise<unknown>>

/** Shown over a page after the agreements have changed. */
export const agreeDialog = () => import('../features/privacy/agree-dialog.tsx')

export type RarePage = keyof typeof rarePages
