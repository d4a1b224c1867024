import { type CallInput, call } from '../../lib/call/call.ts'

export const changeEmail = (input: CallInput<'/api/user/account/changeEmail'>) =>
  call('/api/user/account/changeEmail', input)

export const changeMobile = (input: CallInput<'/api/user/account/changeMobile'>) =>
  call('/api/user/account/changeMobile', input)

export const changePassword = (input: CallInput<'/api/user/account/changePassword'>) =>
  call('/api/user/account/changePassword', input)

export const changeUsername = (input: CallInput<'/api/user/account/changeUsername'>) =>
  call('/api/user/account/changeUsername', input)

export const sendMobileCode = (input: CallInput<'/api/verifyCode/mobile'>) => call('/api/verifyCode/mobile', input)

export const sendEmailCode = (input: CallInput<'/api/verifyCode/email'>) => call('/api/verifyCode/email', input)
