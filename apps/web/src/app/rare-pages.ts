/** The pages that few visits open, each its own chunk. */
export const rarePages = {
  recover: () => import('../features/recovery/recover-page.tsx'),
  stopRecovery: () => import('../features/recovery/stop-page.tsx'),
  changeMobile: () => import('../features/account/change-mobile-page.tsx'),
  changePassword: () => import('../features/account/change-password-page.tsx'),
  changeEmail: () => import('../features/account/change-email-page.tsx'),
  changeUsername: () => import('../features/account/change-username-page.tsx'),
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
  feedback: () => import('../features/feedback/user-feedback-page.tsx'),
  onlineDevices: () => import('../features/devices/devices-page.tsx'),
  twoFactor: () => import('../identity/step-up/two-factor-page.tsx'),
  device: () => import('../features/profile/device-page.tsx'),
  theme: () => import('../features/profile/theme-page.tsx'),
}

/** Shown over a page after the agreements have changed. */
export const agreeDialog = () => import('../features/privacy/agree-dialog.tsx')

export type RarePage = keyof typeof rarePages
