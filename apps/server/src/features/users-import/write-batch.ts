import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { decideOnSite } from './decide-on-site.ts'
import type { ImportedUser, Refusal } from './imported-user.ts'
import { insertAll, LostRace, secretsOf } from './insert-users.ts'
import { advanceImport, type ImportProgress } from './users-import.store.ts'

/** A lock timeout, a deadlock: calls of users come first. */
const passing = ['55P03', '40P01']
const isPassing = (error: unknown) => passing.includes(String((error as { code?: string }).code))

export interface Batch {
  users: ImportedUser[]
  refusals: Refusal[]
  end: { bytes: number; lines: number }
}

/** Lengths of the report before and after the refusals of a batch. */
export type WriteReport = (refusals: Refusal[], at: number) => Promise<number>

export interface Writing {
  db: Db
  siteId: SiteId
  writeReport: WriteReport
}

/** How far the import is after a batch, with everything that was refused of it reported. */
export async function countBatch(
  writeReport: WriteReport,
  { refusals: ofRows, end }: Batch,
  decided: { accepted: ImportedUser[]; refusals: Refusal[] },
  from: ImportProgress,
): Promise<ImportProgress> {
  const refusals = [...ofRows, ...decided.refusals].toSorted((one, other) => one.line - other.line)
  return {
    ...from,
    ...end,
    imported: from.imported + decided.accepted.length,
    refused: from.refused + new Set(refusals.map(({ line }) => line)).size,
    reportBytes: await writeReport(refusals, from.reportBytes),
  }
}

/** Rounds in which a batch gives way, some minutes in all. */
const mostAttempts = 200

/**
 * Decides a batch and inserts what is accepted, with the progress, in one short transaction. Where a sign-up took a name
 * meanwhile, or holds a lock that this one would wait for, the batch is decided again. The report is written before the
 * commit: it may be longer than the progress says, never shorter.
 */
export async function writeBatch(
  { db, siteId, writeReport }: Writing,
  batch: Batch,
  from: ImportProgress,
): Promise<ImportProgress> {
  const secrets = await secretsOf(batch.users)
  for (let attempt = 1; ; attempt++) {
    const decided = await decideOnSite(db, siteId, batch.users)
    const to = await countBatch(writeReport, batch, decided, from)
    try {
      await db.transaction().execute(async (tx) => {
        await sql`SET LOCAL lock_timeout = '200ms'; SET LOCAL synchronous_commit = off`.execute(tx)
        await insertAll(tx, siteId, decided.accepted, secrets)
        if (!(await advanceImport(tx, siteId, from, to))) throw new Error('another process continued this import')
      })
      return to
    } catch (error) {
      if (attempt === mostAttempts || !(error instanceof LostRace || isPassing(error))) throw error
      await pause(Math.min(20 * attempt, 500) * Math.random())
    }
  }
}
