import type { FeedbackNote } from '@hufu/contract/feedback-desk'
import { notesMost } from '@hufu/contract/feedback-rules'
import { AppError } from '../../platform/app-error.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { publish } from '../../platform/redis/live-events.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { readNames } from '../../shared/users/names.store.ts'
import { holdFeedback, lastSeqOf } from './feedback.store.ts'
import { deleteNote, findNote, insertNote, listNotes, type NoteRow } from './notes.store.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

async function withAuthors(db: Db, site: Site, rows: NoteRow[]): Promise<FeedbackNote[]> {
  const names = await readNames(db, site.id, [...new Set(rows.map(({ authorId }) => authorId))])
  return rows.map(({ authorId, ...note }) => ({ ...note, author: { id: authorId, name: names.get(authorId) ?? null } }))
}

/** The user of the conversation is not notified. */
async function notifyOperators(
  { cache }: Needs,
  site: Site,
  { userId }: Caller,
  id: string,
  seq: number,
): Promise<void> {
  await publish(cache, { site: site.id, user: userId, conversation: id, seq, desk: true })
}

export async function notesOf({ db }: Pick<Needs, 'db'>, site: Site, id: string): Promise<FeedbackNote[]> {
  if ((await lastSeqOf(db, site.id, id)) === undefined) throw new AppError('NOT_FOUND')
  return await withAuthors(db, site, await listNotes(db, site.id, id))
}

/** The key is the note's id. Another author's is answered like an unknown one: keys are random and reveal nothing. */
async function noteOnce(tx: Db, site: Site, id: string, note: Omit<NoteRow, 'time'>): Promise<NoteRow> {
  const before = await findNote(tx, site.id, id, note.id)
  if (before && before.authorId !== note.authorId) throw new AppError('NOT_FOUND')
  const kept = before ?? (await insertNote(tx, site.id, id, note, notesMost))
  if (!kept) throw new AppError('NOTES_FULL')
  return kept
}

export async function addNote(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, text, key }: { id: string; text: string; key: string },
): Promise<FeedbackNote> {
  const { row, seq } = await deps.db.transaction().execute(async (tx) => {
    const held = await holdFeedback(tx, site.id, id)
    if (!held) throw new AppError('NOT_FOUND')
    return { row: await noteOnce(tx, site, id, { id: key, authorId: caller.userId, text }), seq: held.lastSeq }
  })
  await notifyOperators(deps, site, caller, id, seq)
  const [note] = await withAuthors(deps.db, site, [row])
  return note as FeedbackNote
}

/** Only the author deletes a note, whatever rights others have. */
export async function removeNote(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, note }: { id: string; note: string },
): Promise<null> {
  const seq = await lastSeqOf(deps.db, site.id, id)
  if (seq === undefined) throw new AppError('NOT_FOUND')
  if (!(await deleteNote(deps.db, site.id, id, note, caller.userId)))
    throw new AppError((await findNote(deps.db, site.id, id, note)) ? 'FORBIDDEN' : 'NOT_FOUND')
  await notifyOperators(deps, site, caller, id, seq)
  return null
}
