import type { SiteConfig } from '@hufu/contract/site'
import { gatewayOf } from '../../integrations/sms/gateways.ts'
import { isSealed, type Keys, seal, sealedWithOldKey, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'
import { isPublicKind } from '../../shared/sites/oidc-clients.ts'
import { sealContext, secretPaths } from '../../shared/sites/site-secrets.ts'

/** The mask of a secret wherever a config is shown. */
export const mask = '********'

interface Spot {
  holder: Record<string, unknown>
  key: string
  /** What the secret belongs to (app, host, key id), so that a secret can't follow a change of it. */
  path: string
  /** The position of that name in the config. */
  position: (string | number)[]
  /** Whether its holder may have no secret. */
  never?: boolean
}

/** Every position of a config that may hold a secret. */
export function secretSpots({ wechat, mail, sms, clients = [], webhooks = [] }: SiteConfig): Spot[] {
  const spots: Spot[] = []
  if (wechat)
    spots.push({ holder: wechat, key: 'secret', path: secretPaths.wechat(wechat.appId), position: ['wechat', 'appId'] })
  if (mail)
    spots.push({
      holder: mail,
      key: 'password',
      path: secretPaths.mail(mail.host, mail.port),
      position: ['mail', 'host'],
    })
  for (const [at, gateway] of (sms?.gateways ?? []).entries()) {
    for (const { holder, key, owner, field } of gatewayOf(gateway.kind)?.secrets(gateway) ?? [])
      spots.push({ holder, key, path: secretPaths.sms(owner), position: ['sms', 'gateways', at, field] })
  }
  for (const [at, client] of clients.entries()) {
    const spot = { holder: client, position: ['clients', at, 'id'], never: isPublicKind(client.kind) }
    spots.push(
      { ...spot, key: 'secret', path: secretPaths.client(client.id) },
      { ...spot, key: 'previousSecret', path: secretPaths.previousOfClient(client.id) },
    )
  }
  for (const [at, webhook] of webhooks.entries()) {
    const { id, url } = webhook
    const spot = { holder: webhook, position: ['webhooks', at, 'url'] }
    spots.push(
      { ...spot, key: 'secret', path: secretPaths.webhook(id, url) },
      { ...spot, key: 'previousSecret', path: secretPaths.previousOfWebhook(id, url) },
    )
  }
  return spots
}

const sealedAt = (siteId: SiteId, spot: Spot) => sealContext(siteId, spot.path)

/** The config with its secrets masked. */
export function maskSecrets(config: SiteConfig): SiteConfig {
  const masked = structuredClone(config)
  for (const { holder, key } of secretSpots(masked)) if (holder[key] !== undefined) holder[key] = mask
  return masked
}

/** Seals new secrets, keeps masked ones that still belong to the same thing, and drops any other mask. */
export function sealSecrets(keys: Keys, siteId: SiteId, config: SiteConfig, former: SiteConfig): SiteConfig {
  const kept = new Map(secretSpots(former).map((spot) => [spot.path, spot.holder[spot.key]]))
  const sealed = structuredClone(config)
  for (const spot of secretSpots(sealed)) {
    const value = spot.holder[spot.key]
    if (value === undefined) continue
    const next = value === mask ? kept.get(spot.path) : seal(keys, sealedAt(siteId, spot), String(value))
    if (next === undefined) delete spot.holder[spot.key]
    else spot.holder[spot.key] = next
  }
  return sealed
}

/**
 * The same config with every secret masked, so that each gets what the present config holds for it, and nothing else.
 */
export function askForSecrets(config: SiteConfig): SiteConfig {
  const asking = structuredClone(config)
  for (const { holder, key, never } of secretSpots(asking)) if (!never) holder[key] = mask
  return asking
}

/** Whose secret is rotated. */
export interface Rotated {
  section: 'clients' | 'webhooks'
  id: string
}

/**
 * The same config with a holder's secret in the place of its former one too, so that a mask there keeps it beside a new
 * secret.
 */
export function withFormerSecret(keys: Keys, siteId: SiteId, config: SiteConfig, { section, id }: Rotated): SiteConfig {
  const kept = structuredClone(config)
  const holder = kept[section]?.find((each) => each.id === id)
  const spotOf = (key: string) => secretSpots(kept).find((spot) => spot.holder === holder && spot.key === key)
  const [present, former] = [spotOf('secret'), spotOf('previousSecret')]
  if (!holder?.secret || !present || !former) return kept
  const secret = unseal(keys, sealedAt(siteId, present), holder.secret)
  holder.previousSecret = seal(keys, sealedAt(siteId, former), secret)
  return kept
}

/** The same config sealed under the current key, or undefined when it is already. */
export function resealSecrets(keys: Keys, siteId: SiteId, config: SiteConfig): SiteConfig | undefined {
  const resealed = structuredClone(config)
  let changed = false
  for (const spot of secretSpots(resealed)) {
    const value = spot.holder[spot.key]
    if (!isSealed(value) || !sealedWithOldKey(keys, value)) continue
    spot.holder[spot.key] = seal(keys, sealedAt(siteId, spot), unseal(keys, sealedAt(siteId, spot), value))
    changed = true
  }
  return changed ? resealed : undefined
}
