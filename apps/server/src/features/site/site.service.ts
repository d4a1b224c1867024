import { origin as originField } from '@hufu/contract/fields'
import { type SiteConfig, siteConfig } from '@hufu/contract/site'
import { AppError } from '../../core/app-error.ts'
import type { Deps } from '../../core/deps.ts'
import { newSiteId, type SiteId } from '../../core/ids.ts'
import { recordOperator } from '../../core/operator-log.ts'
import { normalizeHost } from '../../core/sites.ts'
import { maskSecrets, resealSecrets, sealSecrets, secretSpots } from './config-secrets.ts'
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

/** Refuses a known section of the wrong shape and names its place; keys nobody knows pass untouched. */
function checkConfig(config: unknown): SiteConfig {
  if (reachesPrototype(config)) throw new AppError('INPUT_INVALID', { field: '__proto__', reason: '不支持的键名' })
  const parsed = siteConfig.safeParse(config)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new AppError('INPUT_INVALID', { field: issue?.path.join('.') ?? '', reason: issue?.message ?? '' })
  }
  const paths = secretSpots(parsed.data).map((spot) => spot.path)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice) throw new AppError('INPUT_INVALID', { field: twice.split('/')[0], reason: `${twice} 重复` })
  return config as SiteConfig
}

/** A key that would land on a prototype wherever somebody copies the config carelessly. */
function reachesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(reachesPrototype)
}

export interface NewSite {
  origin: string
  /** Besides the origin's own. */
  hosts?: string[]
  config?: unknown
}

export async function createSite({ db, config: { keys } }: Needs, site: NewSite, operator: string): Promise<SiteId> {
  const { origin, hosts } = checkOrigin(site.origin, site.hosts)
  const siteId = newSiteId()
  const config = sealSecrets(keys, siteId, checkConfig(site.config ?? {}), {})
  await db.transaction().execute(async (tx) => {
    if (!(await insertSite(tx, siteId, origin)))
      throw new AppError('INPUT_INVALID', { field: 'origin', reason: 'taken' })
    await giveHosts(tx, siteId, hosts)
    await insertConfig(tx, siteId, { version: 1, config }, operator)
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
  /** The version the operator had before them. */
  basedOn: number
}

export async function saveConfig(
  { db, config: { keys } }: Needs,
  siteId: SiteId,
  save: ConfigSave,
  operator: string,
): Promise<number> {
  const checked = checkConfig(save.config)
  const version = save.basedOn + 1
  await db.transaction().execute(async (tx) => {
    const newest = await findNewestConfig(tx, siteId)
    if (newest?.version !== save.basedOn) throw new AppError('CONFIG_CONFLICT')
    const config = sealSecrets(keys, siteId, checked, newest.config)
    if (!(await insertConfig(tx, siteId, { version, config }, operator))) throw new AppError('CONFIG_CONFLICT')
    await raiseVersion(tx, siteId)
    await recordOperator(tx, siteId, { operator, action: 'config.save', target: String(version) })
  })
  return version
}

/** Seals every secret under the current key, so that an older one can be taken out of the environment. */
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
