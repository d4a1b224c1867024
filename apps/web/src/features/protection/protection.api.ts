import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { CallError, type CallInput, call } from '../../lib/call/call.ts'
import { adopt, useUser } from '../../session/profile.api.ts'

const factorsKey = (userId: string) => ['factors', userId] as const
const newTotpKey = (userId: string) => ['factor-secret', userId] as const
const codesKey = (userId: string) => ['recovery-codes', userId] as const

/** Fetched whenever a page shows it: another device may have added a factor. */
const factorsQuery = (userId: string) =>
  queryOptions({
    queryKey: factorsKey(userId),
    queryFn: () => call('/api/user/factor/state'),
    staleTime: 0,
  })

/** An identity check may lie between its two steps: until then the scanned secret stays the same. */
const secretMs = 900_000

/** Makes the secret of a new authenticator, once for a visit. */
export const newTotpQuery = (userId: string, enrolment: string | undefined) =>
  queryOptions({
    queryKey: [...newTotpKey(userId), enrolment],
    queryFn: () => call('/api/user/factor/totp/begin', enrolmentOf(enrolment)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: secretMs,
    retry: false,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

const enrolmentOf = (enrolment: string | undefined) => (enrolment ? { enrolment } : {})

export const confirmTotp = (totp: string, enrolment: string | undefined) =>
  call('/api/user/factor/totp/confirm', { totp, ...enrolmentOf(enrolment) })

export const removeTotp = () => call('/api/user/factor/totp/remove')

export const beginPasskey = (enrolment: string | undefined) =>
  call('/api/user/factor/passkey/begin', enrolmentOf(enrolment))

export const addPasskey = (
  passkey: CallInput<'/api/user/factor/passkey/add'>['passkey'],
  enrolment: string | undefined,
) => call('/api/user/factor/passkey/add', { passkey, ...enrolmentOf(enrolment) })

export const renamePasskey = (id: string, name: string) => call('/api/user/factor/passkey/rename', { id, name })

export const removePasskey = (id: string) => call('/api/user/factor/passkey/remove', { id })

export const renewCodes = () => call('/api/user/factor/recovery/renew')

export const forgetTrusted = () => call('/api/user/factor/trusted/forget')

export const removeFactors = () => call('/api/user/factor/removeAll')

/** The own factors, fetched again after every change. */
export function useFactors() {
  const { user } = useUser()
  const { data, failureReason, refetch } = useQuery({ ...factorsQuery(user?.id ?? ''), enabled: user !== undefined })
  return { user, factors: data, trouble: data ? undefined : failureReason?.message, askAgain: () => void refetch() }
}

/** The codes that were just made: held in memory until they are saved, and shown nowhere else. */
export function useNewCodes() {
  const client = useQueryClient()
  const { user } = useUser()
  const queryKey = codesKey(user?.id ?? '')
  const { data } = useQuery<NewCodes>({ queryKey, enabled: false, queryFn: () => Promise.reject(new Error()) })
  return {
    made: data,
    keep: (codes: NewCodes) => void client.setQueryData(queryKey, codes),
    drop: () => client.removeQueries({ queryKey }),
  }
}

export interface NewCodes {
  codes: string[]
  /** What they came with. */
  because: 'enabled' | 'renewed'
}

/** After a change: the factors again, and what the user centre says of them. */
function useRefreshed() {
  const client = useQueryClient()
  const { user } = useUser()
  return async () => {
    const userId = user?.id ?? ''
    client.removeQueries({ queryKey: newTotpKey(userId) })
    void client.invalidateQueries({ queryKey: ['security'] })
    await client.invalidateQueries({ queryKey: factorsKey(userId) })
    const now = client.getQueryData(factorsQuery(userId).queryKey)
    if (now) await adopt(client, () => ({ protected: now.protected, ...(now.protected && { enrolBy: null }) }))
  }
}

interface Change<Input, Result> {
  make: (input: Input) => Promise<Result>
  onDone: (result: Result) => void
}

/** A change of the factors. A required check comes first; any other error is shown where it was asked for. */
export function useFactorChange<Result, Input = void>({ make, onDone }: Change<Input, Result>) {
  const askCheck = useAskCheck()
  const refresh = useRefreshed()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: make,
    onSuccess: async (result) => {
      await refresh()
      onDone(result)
    },
    onError: (failure) => {
      if (isCheckOwed(failure)) askCheck()
    },
  })
  return { go: mutate, busy: isPending, error: isCheckOwed(error) ? undefined : (error ?? undefined), reset }
}

export const codeOf = (error: unknown) => (error instanceof CallError ? error.code : undefined)
