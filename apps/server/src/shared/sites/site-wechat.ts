import type { WechatApp } from '../../integrations/wechat/wechat.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import { secretPaths, unsealSecret } from './site-secrets.ts'
import type { Site } from './sites.ts'

/** The site's official account at WeChat; undefined where it has none or its secret isn't set. */
export function wechatApp(keys: Keys, site: Pick<Site, 'id' | 'config'>): WechatApp | undefined {
  const { appId, secret: sealed } = site.config.wechat ?? {}
  if (!appId) return undefined
  const secret = unsealSecret(keys, site.id, secretPaths.wechat(appId), sealed)
  return secret === undefined ? undefined : { appId, secret }
}
