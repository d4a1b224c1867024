import type { FactorRequired } from '@hufu/contract/factors'
import type { ConfirmProof } from '@hufu/contract/login'
import { queryOptions } from '@tanstack/react-query'
import { CallError, type CallInput, call } from '../../../lib/call/call.ts'

/** Fetched every time the page opens: where it leads, or an address under /api/ to go to first. */
export function entryQuery(source: string | undefined) {
  return queryOptions({
    queryKey: ['login-entry', source ?? null],
    queryFn: () => call('/api/login/entry', source === undefined ? {} : { source }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** A right code for a number that may have changed hands: the ticket to answer whose account it is. */
export function confirmTicket(error: unknown): string | undefined {
  if (!(error instanceof CallError) || error.code !== 'LOGIN_CONFIRM') return undefined
  return error.details?.ticket as string | undefined
}

/** The first proof was right, but the account is protected: what the second step shows. */
export function factorIn(error: unknown): FactorRequired | undefined {
  if (!(error instanceof CallError) || error.code !== 'FACTOR_REQUIRED') return undefined
  return error.details as FactorRequired | undefined
}

/** Where what the second step shows is cached. */
export const factorTicketKey = (ticket: string) => ['factor-ticket', ticket] as const

export interface WantedProofs {
  proofs: ConfirmProof[]
  email?: string
  nickname?: string
}

/** What else the account's owner is asked for. */
export function wantedProofs(error: unknown): WantedProofs | undefined {
  if (!(error instanceof CallError) || error.code !== 'LOGIN_PROOF_NEEDED') return undefined
  return { proofs: [], ...(error.details as Partial<WantedProofs> | undefined) }
}

export const loginByMobile = (input: CallInput<'/api/login/mobile'>) => call('/api/login/mobile', input)

export const loginByPassword = (input: CallInput<'/api/login/password'>) => call('/api/login/password', input)

export const confirmLogin = (input: CallInput<'/api/login/confirm'>) => call('/api/login/confirm', input)

export const sendConfirmCode = (input: CallInput<'/api/login/confirm/sendEmailCode'>) =>
  call('/api/login/confirm/sendEmailCode', input)

export const sendLoginCode = (input: CallInput<'/api/verifyCode/mobile'>) => call('/api/verifyCode/mobile', input)
