import type { MadeFile } from '@hufu/contract/fields'
import type { WantedUsers } from '@hufu/contract/merchant-users'
import type { Region } from '@hufu/contract/regions'
import { AppError } from '../../core/app-error.ts'
import type { Db } from '../../core/db.ts'
import type { Deps } from '../../core/deps.ts'
import { isUuid, type SiteId } from '../../core/ids.ts'
import { recordOperator } from '../../core/operator-log.ts'
import type { Caller } from '../../core/sessions.ts'
import type { Site } from '../../core/sites.ts'
import { requireProofs } from './proofs.ts'
import { findFile, insertExport, listExports as listOwn, queueExport, readPart } from './user-export.store.ts'
import { countWanted } from './user-list.service.ts'

type Needs = Pick<Deps, 'db' | 'pool' | 'clock' | 'log'>

export async function beginExport(
  deps: Needs,
  site: Site,
  regions: readonly Region[],
  caller: Caller,
  wanted: WantedUsers,
): Promise<MadeFile> {
  const total = await countWanted(deps, site, regions, wanted)
  // What was searched for may be somebody's number: the log only says that there was a search.
  const { search, ...filter } = wanted
  return await deps.db.transaction().execute(async (tx) => {
    await requireProofs(tx, site, caller)
    const begun = await insertExport(tx, site.id, { operatorId: caller.userId, wanted, total })
    if (!begun) throw new AppError('EXPORT_BUSY')
    await recordOperator(tx, site.id, {
      operator: caller.userId,
      action: 'user.export',
      target: begun.id,
      detail: search ? { search: true, count: total } : { ...filter, count: total },
    })
    await queueExport(tx, site.id, begun.id)
    return begun
  })
}

export async function listExports(
  { db }: Needs,
  site: Site,
  { userId }: Caller,
): Promise<{ count: number; data: MadeFile[] }> {
  const data = await listOwn(db, site.id, userId)
  return { count: data.length, data }
}

export interface OpenFile {
  name: string
  /** One member of the gzip file after the other, read when the one before is on its way. */
  bytes: AsyncIterable<Buffer>
}

/** The file, for whoever had it made; each time it is fetched is recorded. */
export async function openExport({ db }: Needs, site: Site, { userId }: Caller, id: unknown): Promise<OpenFile> {
  const file = typeof id === 'string' && isUuid(id) ? await findFile(db, site.id, userId, id) : undefined
  if (!file) throw new AppError('NOT_FOUND')
  await recordOperator(db, site.id, { operator: userId, action: 'user.exportFile', target: id as string })
  return { name: `users-${file.day}.csv`, bytes: readParts(db, site.id, id as string, file.parts) }
}

async function* readParts(db: Db, siteId: SiteId, id: string, parts: number): AsyncGenerator<Buffer> {
  for (let number = 0; number < parts; number++) {
    const bytes = await readPart(db, siteId, id, number)
    if (!bytes) throw new Error('a part of an export is gone')
    yield bytes
  }
}
