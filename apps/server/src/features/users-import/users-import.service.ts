import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../platform/app-error.ts'
import type { SiteId } from '../../platform/ids.ts'
import { readDatabaseTime } from '../../platform/postgres/database-time.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { readSite } from '../../shared/sites/sites.ts'
import { beginPasswordForms } from '../users/password-forms.store.ts'
import { forEachBatch, rowsOf, throttle } from './batch-pace.ts'
import { openReport } from './import-report.ts'
import { type FileFormat, readBatches } from './read-batches.ts'
import { decideInRehearsal } from './rehearse-batch.ts'
import { fingerprintOf, watchFile } from './source-file.ts'
import {
  beginImport,
  finishImport,
  type ImportProgress,
  listImports,
  lockImports,
  makeRehearsal,
  type PastImport,
} from './users-import.store.ts'
import { type Batch, countBatch, type Writing, writeBatch } from './write-batch.ts'

type Needs = Pick<Deps, 'db'>

export interface ImportRequest {
  path: string
  format: FileFormat
  report: string
  dryRun: boolean
  /** Rows a second; as fast as the database takes them where there is none. */
  rate: number | undefined
  operator: string
}

export interface ImportStep extends ImportProgress {
  /** Of the file. */
  size: number
}

export interface Watched {
  /** Called when the file has been read once, and after each batch. */
  step(step: ImportStep): void
  resumed(progress: ImportProgress): void
}

/** The kernel ends a session soon after its process, not at once. */
async function requireLock(connection: Db, siteId: SiteId): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    if (await lockImports(connection, siteId)) return
    await pause(200)
  }
  throw new Error('another import of this site is running')
}

/**
 * Imports the users of a file, below every layer that notifies: no event, no notice, no security log entry for each of
 * them. Interrupted at any moment, the same call resumes after the last committed batch.
 */
export async function importUsers(
  deps: Needs,
  siteId: SiteId,
  request: ImportRequest,
  watched: Watched,
): Promise<ImportProgress> {
  const file = await open(request.path, 'r')
  try {
    return await deps.db.connection().execute((db) => importFrom(db, siteId, file, request, watched))
  } finally {
    await file.close()
  }
}

const rehearsal = { id: '', bytes: 0, lines: 0, imported: 0, refused: 0, reportBytes: 0, resumed: true }

async function importFrom(
  db: Db,
  siteId: SiteId,
  file: FileHandle,
  request: ImportRequest,
  watched: Watched,
): Promise<ImportProgress> {
  const site = await readSite(db, siteId)
  if (!site) throw new AppError('SITE_UNKNOWN')
  const { prefixes } = site.login
  const rules = { siteId, prefixes, appId: site.config.wechat?.appId, now: await readDatabaseTime(db) }
  const unchanged = await watchFile(file)
  const { size } = await file.stat()
  await requireLock(db, siteId)
  const reading = { file, format: request.format, rules }
  const begun = request.dryRun
    ? rehearsal
    : await beginImport(db, siteId, await fingerprintOf(file, request.format, prefixes), request.operator)
  if (begun.bytes > 0) watched.resumed(begun)
  const report = await openReport(request.report, begun.reportBytes, begun.resumed)
  let progress: ImportProgress = begun
  const wait = throttle(request.rate)
  const write = await writerOf({ db, siteId, writeReport: report.write }, request.dryRun)
  try {
    await forEachBatch(readBatches(reading, begun), async (batch) => {
      await unchanged()
      progress = await write(batch, progress)
      watched.step({ ...progress, size })
      await wait(rowsOf(batch))
    })
  } finally {
    await report.close(progress.reportBytes)
  }
  if (!request.dryRun) await finish(db, siteId, progress, request.operator)
  return progress
}

type Write = (batch: Batch, from: ImportProgress) => Promise<ImportProgress>

async function writerOf(writing: Writing, dryRun: boolean): Promise<Write> {
  const { db, siteId, writeReport } = writing
  if (!dryRun) {
    await beginPasswordForms(db, siteId)
    return (batch, from) => writeBatch(writing, batch, from)
  }
  await makeRehearsal(db)
  return async (batch, from) =>
    await countBatch(writeReport, batch, await decideInRehearsal(db, siteId, batch.users), from)
}

/** Its commit makes all earlier ones durable: the log is written in order. */
async function finish(
  db: Db,
  siteId: SiteId,
  { id, imported, refused }: ImportProgress,
  operator: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await finishImport(tx, siteId, id)
    await recordOperator(tx, siteId, {
      operator,
      action: 'user.import',
      target: id,
      detail: { count: imported, refused },
    })
  })
}

export const pastImports = ({ db }: Needs, siteId: SiteId): Promise<PastImport[]> => listImports(db, siteId)
