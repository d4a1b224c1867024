import { changeEmail, changeMobile, changePassword, changeUsername } from './account.ts'
import { bindAuthorization, createAuthorization, exchangeTicket } from './authorize.ts'
import { listDevices, removeDevice, removeOtherDevices } from './devices.ts'
import type { Endpoint } from './endpoint.ts'
import {
  confirmFeedback,
  feedbackPerson,
  listFeedback,
  listMerchantFeedback,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  seeFeedback,
  seeMerchantFeedback,
  sendFeedback,
  setFeedbackStatus,
  unreadFeedback,
} from './feedback.ts'
import { confirmLogin, entry, loginByMobile, loginByPassword, logout, sendConfirmCode } from './login.ts'
import {
  checkConfig,
  configHistory,
  configSchema,
  openConfig,
  readConfig,
  restoreConfig,
  updateConfig,
} from './merchant-config.ts'
import {
  cancelUserRecovery,
  exportUsers,
  queryUsers,
  readUser,
  releaseMobile,
  setUserRights,
  setUserStatus,
  signOutUser,
  userDevices,
  userExports,
  userSecurityLog,
} from './merchant-users.ts'
import {
  changeWechatMenu,
  loadMessageTemplates,
  loadWechatMenu,
  merchantWechatToken,
  sendWechatMessage,
} from './merchant-wechat.ts'
import type { Navigation } from './navigation.ts'
import { queryOperatorLog } from './operators.ts'
import { agree, closeAccount, dataExports, exportData, keepAccount, listConsents } from './personal-data.ts'
import { changeAvatar, changeNickname, changePreference, userInfo } from './profile.ts'
import {
  cancelRecovery,
  finishRecovery,
  openRecovery,
  proveRecovery,
  sendRecoveryEmailCode,
  sendRecoveryMobileCode,
  startRecovery,
  stopNoticedRecovery,
} from './recovery.ts'
import { checkScanRequest, createScanRequest, processScanRequest } from './scan-login.ts'
import { disownNoticedSignIn, disownSignIn, listOwnSecurity, readNoticedSignIn } from './security.ts'
import { meta } from './site.ts'
import { merchantHome, pageVisit, userCurve, userStatistics } from './statistics.ts'
import { sendTwoFactorEmailCode, sendTwoFactorMobileCode, twoFactorState, verifyTwoFactor } from './two-factor.ts'
import { sendEmailCode, sendMobileCode } from './verify-code.ts'
import {
  bindWechat,
  checkByWechat,
  loginByNewWechat,
  refreshWechat,
  unbindWechat,
  wechatArrival,
  wechatCallback,
  wechatLogin,
  wechatTicket,
} from './wechat.ts'

/** The whole contract. Sweeps over all calls and the OpenAPI document read this list; a call that isn't here doesn't exist. */
export const endpoints = [
  meta,
  pageVisit,
  sendMobileCode,
  sendEmailCode,
  loginByMobile,
  loginByPassword,
  confirmLogin,
  sendConfirmCode,
  entry,
  createScanRequest,
  checkScanRequest,
  processScanRequest,
  createAuthorization,
  bindAuthorization,
  exchangeTicket,
  wechatArrival,
  loginByNewWechat,
  readNoticedSignIn,
  disownNoticedSignIn,
  openRecovery,
  sendRecoveryEmailCode,
  proveRecovery,
  startRecovery,
  sendRecoveryMobileCode,
  finishRecovery,
  stopNoticedRecovery,
  logout,
  userInfo,
  changeNickname,
  changeAvatar,
  changePreference,
  listDevices,
  removeDevice,
  removeOtherDevices,
  listOwnSecurity,
  disownSignIn,
  cancelRecovery,
  exportData,
  dataExports,
  closeAccount,
  keepAccount,
  listConsents,
  agree,
  twoFactorState,
  sendTwoFactorMobileCode,
  sendTwoFactorEmailCode,
  verifyTwoFactor,
  changeMobile,
  changePassword,
  changeEmail,
  changeUsername,
  wechatTicket,
  listFeedback,
  readFeedback,
  sendFeedback,
  confirmFeedback,
  seeFeedback,
  unreadFeedback,
  listMerchantFeedback,
  readMerchantFeedback,
  feedbackPerson,
  replyFeedback,
  setFeedbackStatus,
  seeMerchantFeedback,
  merchantWechatToken,
  loadWechatMenu,
  changeWechatMenu,
  loadMessageTemplates,
  sendWechatMessage,
  merchantHome,
  userStatistics,
  userCurve,
  queryUsers,
  readUser,
  userDevices,
  userSecurityLog,
  setUserStatus,
  signOutUser,
  releaseMobile,
  cancelUserRecovery,
  setUserRights,
  exportUsers,
  userExports,
  queryOperatorLog,
  readConfig,
  openConfig,
  updateConfig,
  configHistory,
  restoreConfig,
  checkConfig,
  configSchema,
] as const satisfies readonly Endpoint[]

/** Every browser navigation under /api/. */
export const navigations = [
  wechatLogin,
  wechatCallback,
  bindWechat,
  unbindWechat,
  refreshWechat,
  checkByWechat,
] as const satisfies readonly Navigation[]

/** From path to endpoint, for callers that know only types. */
export type EndpointAt = { [E in (typeof endpoints)[number] as E['path']]: E }
