import { type Keys, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'

/** What each secret of a config belongs to; a change of that clears the secret. */
export const secretPaths = {
  wechat: (appId: string) => `wechat/${appId}`,
  mail: (host: string, port: number | undefined) => `mail/${host}/${port ?? ''}`,
  sms: (owner: string) => `sms/${owner}`,
  client: (id: string) => `clients/${id}`,
  webhook: (id: string, url: string) => `webhooks/${id}/${url}`,
  previousOfWebhook: (id: string, url: string) => `webhooks/${id}/previous/${url}`,
  previousOfClient: (id: string) => `clients/${id}/previous`,
}

/** The seal context of a secret: its site and what it belongs to. */
export const sealContext = (siteId: SiteId, path: string): string => `${siteId}/${path}`

/** An unsealed secret of the config, for the moment it is used; undefined where none is set. */
export function unsealSecret(keys: Keys, siteId: SiteId, path: string, sealed: string | undefined): string | undefined {
  return sealed === undefined ? undefined : unseal(keys, sealContext(siteId, path), sealed)
}
