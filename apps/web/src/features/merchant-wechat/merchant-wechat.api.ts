import type { OutputOf } from '@hufu/contract/endpoint'
import type { loadMessageTemplates } from '@hufu/contract/merchant-wechat'
import { queryOptions } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type CallInput, call } from '../../lib/call/call.ts'
import { showToast } from '../../ui/toast.tsx'

/** How long a fetched token is cached. */
export const tokenMs = 60_000

/** WeChat limits its calls, so data is fetched on demand and never refetched automatically. */
const calmly = { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false } as const

const keyOf = (userId: string, ...more: string[]) => ['merchant-wechat', userId, ...more]

export const tokenQuery = (userId: string) =>
  queryOptions({
    ...calmly,
    queryKey: keyOf(userId, 'token'),
    queryFn: () => call('/api/merchant/wechat/token'),
    staleTime: tokenMs,
    gcTime: tokenMs,
  })

export const menuQuery = (userId: string) =>
  queryOptions({
    ...calmly,
    queryKey: keyOf(userId, 'menu'),
    queryFn: () => call('/api/merchant/wechat/loadMenu'),
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Template = OutputOf<typeof loadMessageTemplates>[number]

export const templatesQuery = (userId: string) =>
  queryOptions({
    ...calmly,
    queryKey: keyOf(userId, 'templates'),
    queryFn: () => call('/api/merchant/wechat/loadMessageTemplates'),
    staleTime: 300_000,
  })

/** A few users that match the input. */
export const usersQuery = (userId: string, search: string) =>
  queryOptions({
    ...calmly,
    queryKey: keyOf(userId, 'people', search),
    queryFn: () => call('/api/merchant/user/query', { search, top: 5, skip: 0 }),
    enabled: search !== '',
  })

/** Shows each error once as a toast. */
export function useToldTrouble(error: Error | null) {
  useEffect(() => {
    if (error) showToast('bad', error.message)
  }, [error])
}

export const changeMenu = (input: CallInput<'/api/merchant/wechat/changeMenu'>) =>
  call('/api/merchant/wechat/changeMenu', input)

export const sendMessage = (input: CallInput<'/api/merchant/wechat/sendMessage'>) =>
  call('/api/merchant/wechat/sendMessage', input)
