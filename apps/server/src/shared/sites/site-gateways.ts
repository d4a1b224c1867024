import type { SmsGateway } from '../../integrations/sms/sms.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import { secretPaths, unsealSecret } from './site-secrets.ts'
import type { Site } from './sites.ts'

/** The site's accounts at SMS gateways, in the order in which they are tried; one without its secret is left out. */
export const smsGateways = (keys: Keys, site: Site): SmsGateway[] =>
  (site.config.sms?.gateways ?? []).flatMap((gateway) => {
    const secret = unsealSecret(keys, site.id, secretPaths.sms(gateway.kind, gateway.keyId), gateway.secret)
    return secret === undefined ? [] : [{ ...gateway, secret, templates: gateway.templates ?? {} }]
  })
