import type { Interaction, OidcScope } from '@hufu/contract/oidc'
import type { UserInfo } from '@hufu/contract/profile'
import { maskMobile } from '../../../lib/mobile-number.ts'
import { maskEmail } from '../../../session/user.ts'

export type AskedScope = Interaction['scopes'][number]

/** What a scope reveals of this user; null where there is nothing yet, undefined where it isn't about a value. */
export function shownValue(user: UserInfo, scope: OidcScope): string | null | undefined {
  if (scope === 'offline_access') return undefined
  if (scope === 'profile') return user.nickname || null
  if (scope === 'phone') return user.mobile && maskMobile(user.mobile)
  return user.email && maskEmail(user.email)
}
