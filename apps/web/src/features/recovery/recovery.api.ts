import { CallError, type CallInput, call } from '../../lib/call/call.ts'

export const openRecovery = (input: CallInput<'/api/recovery/open'>) => call('/api/recovery/open', input)

export const sendRecoveryEmailCode = (input: CallInput<'/api/recovery/sendEmailCode'>) =>
  call('/api/recovery/sendEmailCode', input)

export const proveRecovery = (input: CallInput<'/api/recovery/prove'>) => call('/api/recovery/prove', input)

export const startRecovery = (input: CallInput<'/api/recovery/start'>) => call('/api/recovery/start', input)

export const sendRecoveryMobileCode = (input: CallInput<'/api/recovery/sendMobileCode'>) =>
  call('/api/recovery/sendMobileCode', input)

export const finishRecovery = (input: CallInput<'/api/recovery/finish'>) => call('/api/recovery/finish', input)

export const finishFactorRecovery = (input: CallInput<'/api/recovery/removeFactors'>) =>
  call('/api/recovery/removeFactors', input)

export const undoRecovery = (input: CallInput<'/api/recovery/undo'>) => call('/api/recovery/undo', input)

export const stopRecovery = (input: CallInput<'/api/recovery/stop'>) => call('/api/recovery/stop', input)

/** One that ended in the meantime is as good as cancelled. */
export async function cancelRecovery() {
  await call('/api/user/recovery/cancel').catch((error) => {
    if (!(error instanceof CallError) || error.code !== 'RECOVERY_NONE') throw error
  })
}
