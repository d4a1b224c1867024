import type { MadeFile } from '@hufu/contract/fields'
import type { WantedUsers } from '@hufu/contract/merchant-users'
import { AppError } from '../../platform/app-error.ts'
import { isUuid, type SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { notifyExport } from '../users/admin-notices.ts'
import { requireSettledOperator } from '../users/settled-operator.ts'
import { findFile, insertExport, listExports as listOwn, queueExport, readPart } from './user-export.store.ts'
import { countWanted } from './user-list.service.ts'

type Needs = Pick<Deps, 'db' | 'pool' | 'clock' | 'log'>

export async function beginExport(deps: Needs, site: Site, caller: Caller, wanted: WantedUsers): Promise<MadeFile> {
  const total = await countWanted(deps, site, wanted)
  // The search text may be a user's number: the log only says that there was a search.
  const { search, ...filter } = wanted
  return await deps.db.transaction().execute(async (tx) => {
    const by = await requireStepUp(tx, caller, 'secondKind')
    await requireSettledOperator(tx, caller)
    const begun = await insertExport(tx, by, site.id, { operatorId: caller.userId, wanted, total })
    if (!begun) throw new AppError('EXPORT_BUSY')
    await recordOperator(tx, site.id, {
      operator: caller.userId,
      action: 'user.export',
      target: begun.id,
      detail: search ? { search: true, count: total } : { ...filter, count: total },
    })
    await queueExport(tx, site.id, begun.id)
    await notifyExport(tx, site, caller.userId, { total }, deps.clock.now())
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
  /** One member of the gzip file after the other, read when the one before is sent. */
  bytes: AsyncIterable<Buffer>
}

/** The file, for the operator who requested it and after the same step-up; each download is recorded. */
export async function openExport({ db }: Needs, site: Site, caller: Caller, id: unknown): Promise<OpenFile> {
  const { userId } = caller
  await requireStepUp(db, caller, 'secondKind')
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
