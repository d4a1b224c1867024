import { type CallInput, call } from '../../lib/call/call.ts'

export const sendMobileCode = (input: CallInput<'/api/verifyCode/mobile'>) => call('/api/verifyCode/mobile', input)

export const sendEmailCode = (input: CallInput<'/api/verifyCode/email'>) => call('/api/verifyCode/email', input)
