import type { OutputOf } from '@hufu/contract/endpoint'
import { pages } from '@hufu/contract/pages'
import type { SecondWay, twoFactorState } from '@hufu/contract/two-factor'
import { queryOptions } from '@tanstack/react-query'
import { useLocation, useNavigate } from 'react-router'
import { CallError, type CallInput, call } from '../../lib/call/call.ts'
import { holdInput } from './kept-input.ts'

export type CheckState = OutputOf<typeof twoFactorState>

export const fetchCheckState = () => call('/api/user/twoFactor/state')

/** Fetched whenever the page is shown: another tab may have completed the check, and it expires. */
export const checkQuery = queryOptions({
  queryKey: ['two-factor'],
  queryFn: fetchCheckState,
  staleTime: 0,
  refetchOnWindowFocus: 'always',
})

/** Whether every required proof was given; a new browser needs a second kind. */
export const isComplete = ({ twoFactor, second }: CheckState) => twoFactor && second.length === 0

/** As the server counts it: a texted code is never the second kind. */
export const afterProof = (state: CheckState, kind: SecondWay): CheckState => ({
  ...state,
  twoFactor: state.twoFactor || kind === state.way,
  second: kind === 'mobile' ? state.second : [],
})

/** A factor is proof of every kind. */
export const afterFactor = (state: CheckState): CheckState => ({ ...state, twoFactor: true, second: [] })

export const isCheckOwed = (error: unknown) => error instanceof CallError && error.code === 'TWO_FACTOR_REQUIRED'

/** Goes to the check page in a new history entry, once though several calls fail at the same time. */
export function useAskCheck() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return () => {
    holdInput()
    if (window.location.pathname === pages.twoFactor) return
    void navigate(pages.twoFactor, { state: { from: pathname } })
  }
}

export const fetchCheckPasskeyOptions = () => call('/api/user/twoFactor/passkey/options')

const sendPaths = {
  mobile: '/api/user/twoFactor/sendMobileCode',
  email: '/api/user/twoFactor/sendEmailCode',
} as const

export const sendCheckCode = (kind: keyof typeof sendPaths, proof: string | undefined) =>
  call(sendPaths[kind], { proof })

export const verifyCheck = (input: CallInput<'/api/user/twoFactor/verify'>) => call('/api/user/twoFactor/verify', input)
