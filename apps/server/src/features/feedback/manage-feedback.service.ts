import type { OutputOf, ParsedInputOf } from '@hufu/contract/endpoint'
import { type listManagedFeedback, readManagedFeedback } from '@hufu/contract/manage-feedback'
import { AppError } from '../../platform/app-error.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Change } from '../../shared/machine/change.ts'
import { type CursorFor, defaultTop, pageOf, parseCursor } from '../../shared/machine/cursor.ts'
import type { Machine } from '../../shared/machine/machine.ts'
import { requireMatch } from '../../shared/machine/tag.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { moveByMachine, type Sent } from './feedback.service.ts'
import { readFeedback } from './feedback-lists.store.ts'
import { listConversations } from './manage-feedback.store.ts'

export async function listManaged(
  { db, config: { keys } }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  machine: Machine,
  { top = defaultTop, cursor, status }: ParsedInputOf<typeof listManagedFeedback>,
): Promise<OutputOf<typeof listManagedFeedback>> {
  const of: CursorFor = { site, machine, list: 'feedback', filter: { status } }
  const wanted = status === undefined ? undefined : Number(status)
  return pageOf(keys, of, await listConversations(db, site.id, wanted, parseCursor(keys, of, cursor), top + 1), top)
}

type Shown = OutputOf<typeof readManagedFeedback>

export async function readManaged({ db }: { db: Db }, site: Site, id: string): Promise<Shown> {
  const row = await readFeedback(db, site.id, id, {})
  if (!row) throw new AppError('NOT_FOUND')
  const { userId: user, status, time, waitingSince, lastSeq, content, oldest } = row
  const entries = JSON.parse(content) as Shown['entries']
  return { id, user, status, time, waitingSince, lastSeq, entries, more: oldest !== null && oldest > 1 }
}

export interface Moving {
  machine: Machine
  id: string
  change: Change
  message?: string
}

/** A reply, or without a message the end of the conversation. */
export async function moveManaged(
  deps: Pick<Deps, 'db' | 'cache' | 'config'>,
  site: Site,
  { machine, id, change, ...said }: Moving,
): Promise<Sent> {
  const hold = async (tx: Db) =>
    requireMatch(change.ifMatch, readManagedFeedback.output.parse(await readManaged({ db: tx }, site, id)))
  return await moveByMachine(deps, site, machine, id, { ...said, change, hold })
}
