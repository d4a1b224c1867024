import type { Endpoint } from '@hufu/contract/endpoint'
import { updateConfig } from '@hufu/contract/merchant-config'
import { exportUsers, releaseMobile, revealUser, setUserRights } from '@hufu/contract/merchant-users'
import { changeWechatMenu, merchantWechatToken, sendWechatMessage } from '@hufu/contract/merchant-wechat'
import type { UserId } from '../../apps/server/src/platform/ids.ts'

/** Everything that grants, exports, releases, reveals or reconfigures. */
export const guardedActions = (own: UserId, second: UserId): [Endpoint, object][] => [
  [setUserRights, { id: own, actions: ['READ', 'WRITE', 'ADMIN'] }],
  [setUserRights, { id: second, actions: ['READ', 'WRITE', 'ADMIN'] }],
  [exportUsers, {}],
  [releaseMobile, { id: second, reason: 'x' }],
  [revealUser, { id: second, field: 'mobile' }],
  [revealUser, { id: own, field: 'email' }],
  [updateConfig, { config: { privacy: { maskLists: false } } }],
  [updateConfig, { config: { support: 'https://evil.example' } }],
  [merchantWechatToken, {}],
  [changeWechatMenu, { data: { button: [] } }],
  [sendWechatMessage, { userId: second, templateId: 't', params: {} }],
]
