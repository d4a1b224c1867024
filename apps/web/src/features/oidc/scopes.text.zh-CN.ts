import type { OidcScope } from '@hufu/contract/oidc'

/** What a client may learn or do. */
export const scopesZhCN = {
  profile: '昵称和头像',
  phone: '手机号',
  email: '邮箱',
  offline_access: '离线访问',
} satisfies Record<OidcScope, string>
