import { type Keys, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'

/** What each secret of a config is the secret of; a change of that clears the secret. */
export const secretPaths = {
  wechat: (appId: string) => `wechat/${appId}`,
  mail: (host: string, port: number | undefined) => `mail/${host}/${port ?? ''}`,
  sms: (owner: string) => `sms/${owner}`,
  client: (id: string) => `clients/${id}`,
}

/** Where a secret of a site's config belongs: its site and what it is the secret of. */
export const sealContext = (siteId: SiteId, path: string): string => `${siteId}/${path}`

/** A secret of the config in the clear, for the moment it is used; undefined where none is set. */
export function unsealSecret(keys: Keys, siteId: SiteId, path: string, sealed: string | undefined): string | undefined {
  return sealed === undefined ? undefined : unseal(keys, sealContext(siteId, path), sealed)
}
