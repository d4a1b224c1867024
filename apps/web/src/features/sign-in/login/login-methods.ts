import type { LoginMethod } from '@hufu/contract/site'

const known: readonly LoginMethod[] = ['mobile', 'password', 'wechat']

/** What the page offers, in the site's order; scanning makes no sense inside the app that would scan. */
export function offeredMethods(wanted: readonly LoginMethod[], inWeChat: boolean): LoginMethod[] {
  const listed = wanted.length > 0 ? wanted : known
  const offered = listed.filter((method) => known.includes(method) && !(inWeChat && method === 'wechat'))
  return offered.length > 0 ? [...new Set(offered)] : ['mobile']
}

/** Whether the site lets users sign in by WeChat at all: by scan, or inside WeChat by a tap. */
export const offersWechat = (wanted: readonly LoginMethod[]): boolean =>
  wanted.length === 0 || wanted.includes('wechat')
