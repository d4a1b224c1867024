import type { SiteConfig } from '@hufu/contract/site'
import type { SiteId } from '../../core/ids.ts'
import { isSealed, type Keys, seal, sealedWithOldKey, unseal } from '../../core/secrets.ts'
import { secretPaths, secretPlace } from '../../core/site-secrets.ts'

const mask = '********'

interface Spot {
  holder: Record<string, unknown>
  key: string
  /** Names what the secret belongs to (app, host, key id), so that a secret can't follow a change of it. */
  path: string
}

/** Every place of a config that may hold a secret. */
export function secretSpots(config: SiteConfig): Spot[] {
  const spots: Spot[] = []
  const { wechat, mail } = config
  if (wechat) spots.push({ holder: wechat, key: 'secret', path: secretPaths.wechat(wechat.appId) })
  if (mail) spots.push({ holder: mail, key: 'password', path: secretPaths.mail(mail.host, mail.port) })
  for (const gateway of config.sms?.gateways ?? []) {
    spots.push({ holder: gateway, key: 'secret', path: secretPaths.sms(gateway.kind, gateway.keyId) })
  }
  for (const client of config.clients ?? [])
    spots.push({ holder: client, key: 'secret', path: secretPaths.client(client.id) })
  return spots
}

const place = (siteId: SiteId, spot: Spot) => secretPlace(siteId, spot.path)

/** The config as an operator may see it. */
export function maskSecrets(config: SiteConfig): SiteConfig {
  const masked = structuredClone(config)
  for (const { holder, key } of secretSpots(masked)) if (holder[key] !== undefined) holder[key] = mask
  return masked
}

/** Seals what is new, keeps what came back masked and still belongs to the same thing, and drops any other mask. */
export function sealSecrets(keys: Keys, siteId: SiteId, config: SiteConfig, former: SiteConfig): SiteConfig {
  const kept = new Map(secretSpots(former).map((spot) => [spot.path, spot.holder[spot.key]]))
  const sealed = structuredClone(config)
  for (const spot of secretSpots(sealed)) {
    const value = spot.holder[spot.key]
    if (value === undefined) continue
    const next = value === mask ? kept.get(spot.path) : seal(keys, place(siteId, spot), String(value))
    if (next === undefined) delete spot.holder[spot.key]
    else spot.holder[spot.key] = next
  }
  return sealed
}

/** The same config under the current key, or undefined when nothing in it waits for that. */
export function resealSecrets(keys: Keys, siteId: SiteId, config: SiteConfig): SiteConfig | undefined {
  const resealed = structuredClone(config)
  let changed = false
  for (const spot of secretSpots(resealed)) {
    const value = spot.holder[spot.key]
    if (!isSealed(value) || !sealedWithOldKey(keys, value)) continue
    spot.holder[spot.key] = seal(keys, place(siteId, spot), unseal(keys, place(siteId, spot), value))
    changed = true
  }
  return changed ? resealed : undefined
}
