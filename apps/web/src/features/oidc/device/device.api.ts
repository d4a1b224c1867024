import type { OidcScope } from '@hufu/contract/oidc'
import { queryOptions } from '@tanstack/react-query'
import { CallError, call } from '../../../lib/call/call.ts'

/** Which device waits under a code. Reading it decides nothing. */
export const deviceQuery = (userCode: string) =>
  queryOptions({
    queryKey: ['device', userCode],
    queryFn: () => call('/api/oidc/device/read', { userCode }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export interface DeviceAnswer {
  accept: boolean
  scopes?: OidcScope[]
}

export const answerDevice = (userCode: string, answer: DeviceAnswer) =>
  call('/api/oidc/device/answer', { userCode, ...answer })

const finals = ['DEVICE_CODE_WRONG', 'LOGIN_REQUEST_DONE', 'INPUT_INVALID']

/** Nothing more can be decided under this code. */
export const isOver = (error: unknown) => error instanceof CallError && finals.includes(error.code)
