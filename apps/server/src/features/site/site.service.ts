import { origin as originField } from '@hufu/contract/fields'
import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { newSiteId, type SiteId } from '../../platform/ids.ts'
import { readDatabaseTime } from '../../platform/postgres/database-time.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { setEndpoints } from '../../shared/events/endpoints.store.ts'
import { recordEvent } from '../../shared/events/record-event.ts'
import { normalizeHost, readSite } from '../../shared/sites/sites.ts'
import type { ConfigAuthority } from '../../shared/step-up/authority.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { notifyMachineGrant } from '../users/admin-notices.ts'
import { requireFaultless } from './config-check.ts'
import { changedSections } from './config-guard.ts'
import { maskSecrets, type Rotated, resealSecrets, sealSecrets, withFormerSecret } from './config-secrets.ts'
import { requireFormerClients } from './former-clients.ts'
import { type MachineGrant, machineGrants } from './machine-grants.ts'
import {
  findNewestConfig,
  insertConfig,
  insertSite,
  listConfigs,
  listSites,
  raiseVersion,
  replaceConfig,
  type SiteRow,
  type StoredConfig,
  setHosts,
} from './site.store.ts'

type Needs = Pick<Deps, 'db' | 'config'>

export interface NewSite {
  origin: string
  /** Besides the origin's own. */
  hosts?: string[]
  config?: unknown
}

export async function createSite({ db, config: { keys } }: Needs, site: NewSite, operator: string): Promise<SiteId> {
  const { origin, hosts } = checkOrigin(site.origin, site.hosts)
  const siteId = newSiteId()
  const config = sealSecrets(keys, siteId, requireFaultless(site.config ?? {}), {})
  await db.transaction().execute(async (tx) => {
    if (!(await insertSite(tx, siteId, origin)))
      throw new AppError('INPUT_INVALID', { field: 'origin', reason: 'taken' })
    await giveHosts(tx, siteId, hosts)
    await insertConfig(tx, withoutStepUp('commandLine'), siteId, { version: 1, config }, operator)
    await announceGrants(tx, siteId, machineGrants({}, config), operator)
    await setEndpoints(tx, siteId, config.webhooks ?? [])
    await recordOperator(tx, siteId, { operator, action: 'site.create', target: origin })
  })
  return siteId
}

export interface SiteChange {
  origin?: string | undefined
  hosts?: string[] | undefined
  status?: 'active' | 'disabled' | undefined
}

export async function changeSite({ db }: Needs, siteId: SiteId, change: SiteChange, operator: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const current = (await listSites(tx)).find(({ id }) => id === siteId)
    if (!current) throw new AppError('SITE_UNKNOWN')
    const { origin, hosts } = checkOrigin(change.origin ?? current.origin, change.hosts ?? current.hosts)
    await giveHosts(tx, siteId, hosts)
    await raiseVersion(tx, siteId, { origin, status: change.status ?? current.status })
    await recordOperator(tx, siteId, { operator, action: 'site.change', target: origin, detail: { ...change } })
  })
}

/** By id or by origin, whichever the operator has at hand. */
export async function findSite({ db }: Pick<Deps, 'db'>, idOrOrigin: string): Promise<SiteId> {
  const sites = await listSites(db)
  const found = sites.find(({ id, origin, hosts }) => [id, origin, ...hosts].includes(idOrOrigin))
  if (!found) throw new AppError('SITE_UNKNOWN')
  return found.id
}

export function allSites({ db }: Pick<Deps, 'db'>): Promise<SiteRow[]> {
  return listSites(db)
}

export async function readConfig({ db }: Pick<Deps, 'db'>, siteId: SiteId): Promise<StoredConfig> {
  const stored = await findNewestConfig(db, siteId)
  if (!stored) throw new AppError('SITE_UNKNOWN')
  return { version: stored.version, config: maskSecrets(stored.config) }
}

export interface ConfigSave {
  config: unknown
  /** The version that the operator edited. */
  basedOn: number
  /** The version to return to. */
  restored?: number
  /** Whose present secret a masked `previousSecret` keeps. */
  rotated?: Rotated
}

/** Throws where the operator may not make this change; nothing is saved then. */
type Allow = (tx: Db, former: SiteConfig, next: SiteConfig) => Promise<ConfigAuthority>

const byCommandLine: Allow = async () => withoutStepUp('commandLine')

export async function saveConfig(
  { db, config: { keys } }: Needs,
  siteId: SiteId,
  { config: sent, basedOn, restored, rotated }: ConfigSave,
  operator: string,
  allow = byCommandLine,
): Promise<number> {
  const checked = requireFaultless(sent)
  const version = basedOn + 1
  await db.transaction().execute(async (tx) => {
    const newest = await findNewestConfig(tx, siteId)
    if (newest?.version !== basedOn) throw new AppError('CONFIG_CONFLICT')
    const kept = rotated === undefined ? newest.config : withFormerSecret(keys, siteId, newest.config, rotated)
    const config = sealSecrets(keys, siteId, checked, kept)
    const by = await allow(tx, newest.config, config)
    await requireFormerClients(tx, siteId, newest.config, config)
    if (!(await insertConfig(tx, by, siteId, { version, config, restored }, operator)))
      throw new AppError('CONFIG_CONFLICT')
    await raiseVersion(tx, siteId)
    await announceGrants(tx, siteId, machineGrants(newest.config, config), operator)
    await setEndpoints(tx, siteId, config.webhooks ?? [])
    const changed = changedKeys(newest.config, config)
    await recordEvent(tx, siteId, { type: 'config.changed', subject: undefined, id: String(version), changed })
    const detail = { changed, ...(restored && { restored }) }
    const action = restored ? 'config.restore' : 'config.save'
    await recordOperator(tx, siteId, { operator, action, target: String(version), detail })
  })
  return version
}

/** Recorded and mailed to every ADMIN, including the one who saved. */
async function announceGrants(tx: Db, siteId: SiteId, grants: MachineGrant[], operator: string): Promise<void> {
  const site = grants.length > 0 ? await readSite(tx, siteId) : undefined
  if (!site) return
  for (const { client, scopes, added } of grants)
    await recordOperator(tx, siteId, { operator, action: 'client.grant', target: client, detail: { scopes, added } })
  await notifyMachineGrant(tx, site, operator, grants, await readDatabaseTime(tx))
}

/** Which sections differ: their names alone, for the log. */
function changedKeys(former: SiteConfig, next: SiteConfig): string[] {
  return changedSections(former, next)
    .slice(0, 50)
    .map((key) => key.toWellFormed().slice(0, 100))
}

/** Seals every secret under the current key, so that an older one can be removed from the environment. */
export async function rotateKeys({ db, config: { keys } }: Needs): Promise<number> {
  let changed = 0
  for (const { id } of await listSites(db)) {
    await db.transaction().execute(async (tx) => {
      for (const stored of await listConfigs(tx, id)) {
        const config = resealSecrets(keys, id, stored.config)
        if (!config) continue
        await replaceConfig(tx, id, { ...stored, config })
        changed++
      }
      await raiseVersion(tx, id)
    })
  }
  return changed
}

function checkOrigin(origin: string, more: string[] = []): { origin: string; hosts: string[] } {
  if (!originField.safeParse(origin).success) throw new AppError('INPUT_INVALID', { field: 'origin' })
  return { origin, hosts: [...new Set([new URL(origin).hostname, ...more].map(normalizeHost))] }
}

async function giveHosts(db: Deps['db'], siteId: SiteId, hosts: string[]): Promise<void> {
  const taken = await setHosts(db, siteId, hosts)
  if (taken.length > 0) throw new AppError('INPUT_INVALID', { field: 'hosts', reason: `taken: ${taken.join(', ')}` })
}
