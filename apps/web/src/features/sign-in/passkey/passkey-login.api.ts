import { type CallInput, call } from '../../../lib/call/call.ts'

export const fetchPasskeyOptions = () => call('/api/login/passkey/options')

export const loginByPasskey = (input: CallInput<'/api/login/passkey'>) => call('/api/login/passkey', input)
