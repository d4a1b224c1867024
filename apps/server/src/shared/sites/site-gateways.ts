import type { SmsAccount } from '../../integrations/sms/gateway.ts'
import { gatewayOf } from '../../integrations/sms/gateways.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import { secretPaths, unsealSecret } from './site-secrets.ts'
import type { Site } from './sites.ts'

/** The site's accounts at SMS gateways with their secrets opened, in the order in which they are tried. */
export const smsAccounts = (keys: Keys, site: Site): SmsAccount[] =>
  (site.config.sms?.gateways ?? []).flatMap((account) => opened(keys, site, structuredClone(account)) ?? [])

/** Undefined where a secret isn't set: the gateway would refuse. */
function opened(keys: Keys, site: Site, account: SmsAccount): SmsAccount | undefined {
  for (const { holder, key, owner } of gatewayOf(account.kind)?.secrets(account) ?? []) {
    const secret = unsealSecret(keys, site.id, secretPaths.sms(owner), holder[key] as string | undefined)
    if (secret === undefined) return undefined
    holder[key] = secret
  }
  return account
}
