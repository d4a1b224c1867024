import type { MerchantRight } from '@hufu/contract/merchant-rights'
import { pages } from '@hufu/contract/pages'
import type { Permission } from '@hufu/contract/profile'

export type LinkName = 'home' | 'user' | 'feedback' | 'merchant'

export interface NavigationLink {
  name: LinkName
  to: string
}

/** What a user may do in the back-office. */
export function mayMerchant(permission: Permission | undefined, action: MerchantRight): boolean {
  return permission?.MERCHANT?.includes(action) ?? false
}

/** The links of the shared frame. Home is the site's own address where it has one; the back-office needs MERCHANT READ. */
export function navigationLinks(site: string | undefined, permission?: Permission): NavigationLink[] {
  const links: NavigationLink[] = [
    { name: 'home', to: site || pages.home },
    { name: 'user', to: pages.user },
    { name: 'feedback', to: pages.userFeedback },
  ]
  if (mayMerchant(permission, 'READ')) links.push({ name: 'merchant', to: pages.merchant })
  return links
}

const under = (path: string, page: string) => path === page || path.startsWith(`${page}/`)

/** Which link stands for the page a user is on. */
export function currentLink(path: string): LinkName | undefined {
  if (path === pages.home) return 'home'
  if (under(path, pages.userFeedback)) return 'feedback'
  if (under(path, pages.user)) return 'user'
  return under(path, pages.merchant) ? 'merchant' : undefined
}
