import { AppError } from '../../platform/app-error.ts'
import type { SiteId } from '../../platform/ids.ts'
import { readDatabaseTime } from '../../platform/postgres/database-time.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { readSite } from '../../shared/sites/sites.ts'
import { notifyExport } from '../users/admin-notices.ts'
import { exportLines } from './export-lines.ts'
import type { FileFormat } from './read-batches.ts'
import { beginSnapshot, countExported, readExported, type StoredUser } from './users-export.store.ts'

export interface ExportRequest {
  format: FileFormat
  withHashes: boolean
  operator: string
  /** Takes a part of the file; the next is read when it is done. */
  write(text: string): Promise<void>
  step(done: number, total: number): void
}

const rowsAtOnce = 1_000

/**
 * All users of a site as of one moment, in constant memory. The operator log and the mails to every ADMIN are committed
 * before the first row leaves.
 */
export async function exportUsers(
  { db }: Pick<Deps, 'db'>,
  siteId: SiteId,
  { format, withHashes, operator, write, step }: ExportRequest,
): Promise<number> {
  const site = await readSite(db, siteId)
  if (!site) throw new AppError('SITE_UNKNOWN')
  const { head, lineOf } = exportLines(format, withHashes)
  return await db.transaction().execute(async (snapshot) => {
    await beginSnapshot(snapshot)
    const total = await countExported(snapshot, siteId)
    await db.transaction().execute(async (tx) => {
      await recordOperator(tx, siteId, { operator, action: 'user.export', detail: { count: total, withHashes } })
      await notifyExport(tx, site, operator, { total, withHashes }, await readDatabaseTime(tx))
    })
    if (head) await write(head)
    let done = 0
    for (let last: StoredUser | undefined; ; ) {
      const users = await readExported(snapshot, siteId, last, rowsAtOnce)
      if (users.length === 0) return done
      await write(users.map(lineOf).join(''))
      done += users.length
      last = users.at(-1)
      step(done, total)
    }
  })
}
