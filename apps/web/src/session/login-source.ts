import { pages } from '@hufu/contract/pages'

/** The wanted address in /login/{source}. Read from the path itself: the router would turn its %2F into slashes. */
export function sourceIn(pathname: string, page: string = pages.login): string | undefined {
  const encoded = pathname.slice(page.length + 1)
  try {
    return decodeURIComponent(encoded) || undefined
  } catch {
    return undefined
  }
}

/** The sign-in page that leads back to an address. */
export function loginLeadingTo(address: string): string {
  return `${pages.login}/${encodeURIComponent(address)}`
}

/**
 * A page of this document; anything else is left to the browser, which passes over tabs and line ends. What the server
 * answers itself is a navigation, too.
 */
export function isOwnPage(address: string): boolean {
  return /^\/(?![/\\]|(api|oidc)\/)[^\t\n\r]*$/.test(address)
}

const binding = '/api/user/wechat/binding'

interface Ending {
  inWeChat: boolean
  wechatEnabled: boolean
  /** Whether the user left the box ticked. */
  bind: boolean
  source: string
}

/** Where the browser goes after sign-in: to the source, inside WeChat by way of binding if that is wanted. */
export function afterLogin({ inWeChat, wechatEnabled, bind, source }: Ending): string {
  if (!inWeChat || !wechatEnabled || !bind) return source
  return `${binding}?source=${encodeURIComponent(source)}`
}

/** It needs a ticket, which the server gives to signed-in pages alone. */
export const isBinding = (address: string) => address.startsWith(binding)
