import type { ScanAsked } from '@hufu/contract/scan-login'
import { scanStatus } from '@hufu/contract/scan-login-rules'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/call/call.ts'

/** What names a request to sign in by scan. */
export interface ScanRequest {
  id: string
  time: number
  ip: string
}

/** A new request and the address that is scanned. */
export async function createRequest(): Promise<{ request: ScanRequest; address: string }> {
  const { origin, ...request } = await call('/api/login/request/create')
  const { id, time, ip } = request
  return { request, address: `${origin}/loginApprove/${id}/${time}/${encodeURIComponent(ip)}` }
}

export const checkRequest = (request: ScanRequest) => call('/api/login/request/check', { ...request })

/** The request in the parts of an address; undefined where it can't be one. */
export function requestIn({ id = '', time = '', ip = '' }: Partial<Record<string, string>>): ScanRequest | undefined {
  if (!/^[\w-]{22}$/.test(id) || !/^\d{1,15}$/.test(time) || !/^[\da-f.:]{2,45}$/i.test(ip)) return undefined
  return { id, time: Number(time), ip }
}

export type Decision = typeof scanStatus.approved | typeof scanStatus.rejected

export const decide = (request: ScanRequest, status: Decision): Promise<ScanAsked> =>
  call('/api/login/request/process', { ...request, status })

/** Opening the page marks the request as scanned, once, and returns what is to be approved. */
export function scannedQuery(request: ScanRequest) {
  return queryOptions({
    queryKey: ['scan-request', request.id, request.time, request.ip],
    queryFn: () => call('/api/login/request/process', { ...request, status: scanStatus.scanned }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
