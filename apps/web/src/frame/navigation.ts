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

/** Where home leads: the site's own address where it has one. */
export const homeOf = (site: string | undefined): string => site || pages.home

interface SignedIn {
  permission: Permission
}

/** The links of the shared frame. The back-office needs MERCHANT READ. Our own home only leads a signed-in user to the user centre. */
export function navigationLinks(site: string | undefined, user?: SignedIn): NavigationLink[] {
  const links: NavigationLink[] = [
    { name: 'user', to: pages.user },
    { name: 'feedback', to: pages.userFeedback },
  ]
  if (site || !user) links.unshift({ name: 'home', to: homeOf(site) })
  if (mayMerchant(user?.permission, 'READ')) links.push({ name: 'merchant', to: pages.merchant })
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
