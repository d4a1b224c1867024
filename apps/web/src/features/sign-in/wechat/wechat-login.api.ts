import { queryOptions } from '@tanstack/react-query'
import { type CallInput, call } from '../../../lib/call/call.ts'

export const arrivalQuery = queryOptions({
  queryKey: ['wechat-arrival'],
  queryFn: () => call('/api/login/wechat/arrival'),
  retry: false,
  gcTime: 0,
})

export const createByWechat = (input: CallInput<'/api/login/wechat/create'>) => call('/api/login/wechat/create', input)
