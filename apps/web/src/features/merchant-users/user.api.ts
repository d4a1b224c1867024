import type { Person, RevealedField } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import type { SecurityEntry } from '@hufu/contract/security'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { useAfterCheck } from '../../identity/step-up/use-after-check.ts'
import { CallError, type CallInput, call } from '../../lib/call/call.ts'
import { troubleOf } from '../../lib/call/failure.ts'
import { isRetryable } from '../../lib/call/is-retryable.ts'
import { useListing } from '../../ui/data-table/data-table-listing.ts'
import { showToast } from '../../ui/toast.tsx'

const userKey = (id: string) => ['merchant', 'user', id]
export const profileKey = (id: string) => [...userKey(id), 'profile']
const missing = ['NOT_FOUND', 'USER_UNKNOWN', 'INPUT_INVALID']

/** Every read is logged, so it isn't refetched without need. */
export function useUserDetail(id: string) {
  const { data, error, failureReason, refetch } = useQuery({
    queryKey: profileKey(id),
    queryFn: () => call('/api/merchant/user/read', { id }),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: isRetryable,
  })
  return {
    user: data,
    missing: error instanceof CallError && missing.includes(error.code),
    trouble: data ? undefined : troubleOf(failureReason),
    askAgain: () => void refetch(),
  }
}

/** Revealed fields, as long as the page is open. A required check comes first. */
export function useReveal(id: string) {
  const [revealed, setRevealed] = useState<Partial<Record<RevealedField, string | null>>>({})
  const { mutate, isPending } = useMutation({
    mutationFn: (field: RevealedField) => call('/api/merchant/user/reveal', { id, field }),
    onSuccess: ({ value }, field) => setRevealed((known) => ({ ...known, [field]: value })),
    onError: ({ message }) => showToast('bad', message),
  })
  const check = useAfterCheck<RevealedField>(`${pages.merchantUsers}#reveal-${id}`, (field) => mutate(field))
  return { revealed, reveal: check.begin, busy: isPending || check.busy }
}

const devicesAtOnce = 10

export function useUserDevices(id: string, page: number) {
  const { data } = useQuery({
    queryKey: [...userKey(id), 'devices', page],
    queryFn: () => call('/api/merchant/user/devices', { id, top: devicesAtOnce, skip: (page - 1) * devicesAtOnce }),
    placeholderData: (before) => before,
    staleTime: 0,
    retry: isRetryable,
  })
  return { count: data?.count, devices: data?.data, pages: Math.ceil((data?.count ?? 0) / devicesAtOnce) }
}

export const useSecurityLog = (id: string, page: number) =>
  useListing<SecurityEntry>([...userKey(id), 'security'], page, (rows) =>
    call('/api/merchant/user/securityLog', { id, ...rows }),
  )

export function useUserFeedback(id: string) {
  return useQuery({
    queryKey: [...userKey(id), 'feedback'],
    queryFn: () => call('/api/merchant/feedback/query', { userId: id, brief: true }),
    staleTime: 0,
    retry: isRetryable,
  }).data?.data
}

interface Change<Result> {
  make: () => Promise<Result>
  /** The fields that the change sets. */
  becomes: Partial<Person>
  onDone: (result: Result) => void
}

/** Changes a user. A required check comes first; any other error stays in the dialog. */
export function useUserChange<Result>(id: string, { make, becomes, onDone }: Change<Result>) {
  const client = useQueryClient()
  const askCheck = useAskCheck()
  const { mutate, isPending, error } = useMutation({
    mutationFn: make,
    onSuccess: (result) => {
      client.setQueryData<Person>(profileKey(id), (known) => known && { ...known, ...becomes })
      for (const part of ['devices', 'security']) void client.invalidateQueries({ queryKey: [...userKey(id), part] })
      void client.invalidateQueries({ queryKey: ['merchant', 'users'] })
      onDone(result)
    },
    onError: (failure) => {
      if (isCheckOwed(failure)) askCheck()
    },
  })
  return { go: () => mutate(), busy: isPending, error: isCheckOwed(error) ? undefined : error?.message }
}

export const signOutUser = (input: CallInput<'/api/merchant/user/signOut'>) => call('/api/merchant/user/signOut', input)

export const setUserStatus = (input: CallInput<'/api/merchant/user/status'>) => call('/api/merchant/user/status', input)

export const setUserRights = (input: CallInput<'/api/merchant/user/rights'>) => call('/api/merchant/user/rights', input)

export const resetFactors = (input: CallInput<'/api/merchant/user/resetFactors'>) =>
  call('/api/merchant/user/resetFactors', input)

export const releaseMobile = (input: CallInput<'/api/merchant/user/releaseMobile'>) =>
  call('/api/merchant/user/releaseMobile', input)

/** False for a recovery that has ended in the meantime. */
export const cancelUserRecovery = (id: string, reason: string) =>
  call('/api/merchant/user/cancelRecovery', { id, reason }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof CallError && error.code === 'RECOVERY_NONE') return false
      throw error
    },
  )
