import type { Endpoint } from './endpoint.ts'
import { confirmLogin, entry, loginByMobile, loginByPassword, logout, sendConfirmCode } from './login.ts'
import { userInfo } from './profile.ts'
import { meta } from './site.ts'
import { pageVisit } from './statistics.ts'
import { sendEmailCode, sendMobileCode } from './verify-code.ts'

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
  logout,
  userInfo,
] as const satisfies readonly Endpoint[]

/** From path to endpoint, for callers that know only types. */
export type EndpointAt = { [E in (typeof endpoints)[number] as E['path']]: E }
