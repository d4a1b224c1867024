import type { ParsedInputOf } from '@hufu/contract/endpoint'
import type { ConfigFault, configHistory, restoreConfig, SavedConfig } from '@hufu/contract/merchant-config'
import { shortId } from '@hufu/contract/merchant-rights'
import type { SiteConfig, SiteMeta } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { requireSettledOperator } from '../users/settled-operator.ts'
import { faultsOf } from './config-check.ts'
import { appearanceOnly } from './config-guard.ts'
import { askForSecrets, maskSecrets, sealSecrets } from './config-secrets.ts'
import { countVersions, findVersion, listVersions, type StoredVersion } from './config-versions.store.ts'
import { formerFaults } from './former-clients.ts'
import { machineGrants } from './machine-grants.ts'
import { publicMeta } from './meta.ts'
import { requirePictures } from './named-pictures.ts'
import { type ConfigSave, readConfig, saveConfig } from './site.service.ts'
import { findNewestConfig } from './site.store.ts'

type Needs = Pick<Deps, 'db' | 'config' | 'sites'>

const savedOf = ({ version, time, restored, userId, name }: StoredVersion): SavedConfig => ({
  version,
  time,
  restored,
  by: userId === null ? null : (name ?? shortId(userId)),
})

/** A version as an operator may see it, the newest where none is named. */
export async function openVersion(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  version?: number,
): Promise<SavedConfig & { config: SiteConfig }> {
  const found = await findVersion(db, site.id, version)
  if (!found) throw new AppError('NOT_FOUND')
  return { ...savedOf(found), config: maskSecrets(found.config) }
}

export async function listHistory(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  part: ParsedInputOf<typeof configHistory>,
): Promise<{ count: number; data: SavedConfig[] }> {
  const [count, rows] = await Promise.all([countVersions(db, site.id), listVersions(db, site.id, part)])
  return { count, data: rows.map(savedOf) }
}

/** Why this config couldn't be saved. */
export async function check({ db }: Pick<Deps, 'db'>, site: Site, config: SiteConfig): Promise<ConfigFault[]> {
  const faults = faultsOf(config)
  return faults.length > 0 ? faults : await formerFaults(db, site.id, site.config, config)
}

/** The public meta if this config were saved now, with the secrets it would keep; null where it couldn't be saved. */
export async function preview(
  { db, config: { keys } }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  config: SiteConfig,
): Promise<SiteMeta | null> {
  if (faultsOf(config).length > 0) return null
  const newest = await findNewestConfig(db, site.id)
  if (!newest) throw new AppError('NOT_FOUND')
  return publicMeta(sealSecrets(keys, site.id, config, newest.config))
}

/**
 * Saves an earlier version's text again, without its secrets: each position gets what the present config holds for it.
 */
export async function restore(
  deps: Needs,
  site: Site,
  caller: Caller,
  { version, basedOn }: ParsedInputOf<typeof restoreConfig>,
): Promise<{ version: number }> {
  const found = await findVersion(deps.db, site.id, version)
  if (!found) throw new AppError('NOT_FOUND')
  return await save(deps, site, caller, { config: askForSecrets(found.config), basedOn, restored: version })
}

/** Without a base version, on the newest. */
type Save = Omit<ConfigSave, 'basedOn'> & { basedOn?: number | undefined }

export async function save(deps: Needs, site: Site, caller: Caller, input: Save): Promise<{ version: number }> {
  const basedOn = input.basedOn ?? (await readConfig(deps, site.id)).version
  const version = await saveConfig(deps, site.id, { ...input, basedOn }, caller.userId, async (tx, former, next) => {
    const by = appearanceOnly(former, next) ?? (await requireStepUp(tx, caller, 'secondKind'))
    if (machineGrants(former, next).length > 0) await requireSettledOperator(tx, caller)
    await requirePictures(tx, site.id, former, next)
    return by
  })
  // This process shows it at once; the others follow by polling, and so does this one where the refresh fails.
  await deps.sites.refresh().catch(() => undefined)
  return { version }
}
