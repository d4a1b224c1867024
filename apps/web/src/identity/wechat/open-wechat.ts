import { fetchWechatTicket } from './wechat.api.ts'

/**
 * Navigates to an address under /api/user/wechat/ with the one-time ticket it needs. Without one the server changes
 * nothing and leads to the user centre, so that a failure here is no dead end.
 */
export async function openWechat(address: string, leave = (to: string) => window.location.assign(to)): Promise<void> {
  const ticket = await fetchWechatTicket().catch(() => '')
  leave(`${address}${address.includes('?') ? '&' : '?'}ticket=${encodeURIComponent(ticket)}`)
}

export const wechatAddress = (action: 'binding' | 'unbinding' | 'info' | 'check', source: string) =>
  `/api/user/wechat/${action}?source=${encodeURIComponent(source)}`
