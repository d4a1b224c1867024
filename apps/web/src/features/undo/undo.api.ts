import type { InputOf } from '@hufu/contract/endpoint'
import type { applyUndo } from '@hufu/contract/undo'
import { queryOptions } from '@tanstack/react-query'
import { CallError, call } from '../../lib/call/call.ts'

export const isExpired = (error: unknown) => error instanceof CallError && error.code === 'NOTICE_EXPIRED'

/** Reading changes nothing; an expired link doesn't come back. */
export const undoQuery = (token: string) =>
  queryOptions({
    queryKey: ['undo', token],
    queryFn: () => call('/api/undo/read', { token }),
    retry: (count, error) => !isExpired(error) && count < 3,
    refetchOnWindowFocus: false,
  })

export const sendUndoCode = (token: string, from: string, proof: string | undefined) =>
  call('/api/undo/sendCode', { token, from, proof })

export const undo = (input: InputOf<typeof applyUndo>) => call('/api/undo/apply', input)
