import { type CallInput, call } from '../../../lib/call/call.ts'

export const sendReply = (input: CallInput<'/api/merchant/feedback/send'>) => call('/api/merchant/feedback/send', input)

export const setStatus = (id: string, status: number) => call('/api/merchant/feedback/status', { id, status })

/** Says whether this operator is writing, and returns who else is. */
export const reportAnswering = (id: string, writing: boolean | undefined, keepalive: boolean) =>
  call('/api/merchant/feedback/answering', { id, writing }, { keepalive })
