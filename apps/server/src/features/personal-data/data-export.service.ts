import type { MadeFile } from '@hufu/contract/fields'
import { AppError } from '../../platform/app-error.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { exportWait, findArchive, insertExport, listExports, queueExport } from './data-export.store.ts'
import { archivedTables } from './personal-data.ts'

type Needs = Pick<Deps, 'db'>

export interface Asker {
  caller: Caller
  address: string
}

/** Begins an archive of the caller's data. */
export async function beginExport({ db }: Needs, site: Site, { caller, address }: Asker): Promise<MadeFile> {
  const { userId } = caller
  return await db.transaction().execute(async (tx) => {
    const by = await requireStepUp(tx, caller, 'secondKind')
    const begun = await insertExport(tx, by, site.id, userId, archivedTables.length)
    if (!begun) throw new AppError('EXPORT_BUSY')
    const retryAfter = await exportWait(tx, site.id, userId)
    if (retryAfter > 0) throw new AppError('EXPORT_LIMITED', { retryAfter })
    await recordSecurity(tx, site.id, { event: 'data.export', userId, address })
    await queueExport(tx, site.id, userId, begun.id)
    return begun
  })
}

export async function listOwnExports(
  { db }: Needs,
  site: Site,
  { userId }: Caller,
): Promise<{ count: number; data: MadeFile[] }> {
  const data = await listExports(db, site.id, userId)
  return { count: data.length, data }
}

export interface OpenArchive {
  name: string
  bytes: Buffer
}

/** The archive, for its own user and after the same proofs; each download is recorded. */
export async function openArchive(
  { db }: Needs,
  site: Site,
  { caller, address }: Asker,
  id: unknown,
): Promise<OpenArchive> {
  const { userId } = caller
  return await db.transaction().execute(async (tx) => {
    await requireStepUp(tx, caller, 'secondKind')
    const known = typeof id === 'string' && isUuid(id)
    const file = known ? await findArchive(tx, site.id, userId, id) : undefined
    if (!file) throw new AppError('NOT_FOUND')
    await recordSecurity(tx, site.id, { event: 'data.fetch', userId, address })
    return { name: `personal-data-${file.day}.zip`, bytes: file.bytes }
  })
}
