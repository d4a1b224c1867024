import { randomUUID } from 'node:crypto'
import type { FeedbackItem } from '@hufu/contract/feedback'
import {
  afterMove,
  type FeedbackMove,
  type FeedbackRole,
  type FeedbackStatus,
  feedbackMoves,
  feedbackStatus,
  isWaiting,
  merchantMoves,
  nextStatus,
  picturesOnly,
} from '@hufu/contract/feedback-rules'
import { AppError } from '../../platform/app-error.ts'
import { keyedHash } from '../../platform/crypto/hash.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { publish } from '../../platform/redis/live-events.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { recordEvent } from '../../shared/events/record-event.ts'
import type { Change } from '../../shared/machine/change.ts'
import { type Machine, machineName } from '../../shared/machine/machine.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { actsAs } from '../../shared/step-up/operator-factor.ts'
import { endWriting } from './answering.service.ts'
import {
  addEntry,
  countUnread,
  findSent,
  type HeldFeedback,
  holdFeedback,
  insertFeedback,
  type NewEntry,
  noteSeen,
  ownerOf,
} from './feedback.store.ts'
import { type FeedbackRow, listOfUser, type Part, readFeedback } from './feedback-lists.store.ts'
import { queueFeedbackNotice } from './feedback-notices.ts'
import { attachPictures } from './pictures.store.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'config'>

export interface Sent {
  id: string
  seq: number
  status: FeedbackStatus
}

interface Message {
  message: string
  pictures?: string[] | undefined
  key?: string | undefined
}

/** A new entry, with the pictures that it attaches. */
type Said = NewEntry & Pick<Message, 'pictures'>

/** The text of an entry, or a placeholder for pictures: lists and notices show it. */
const saidBy = (role: FeedbackRole, authorId: UserId, { message, pictures, key }: Message): Said => ({
  role,
  authorId,
  message: message || picturesOnly,
  wordless: message === '',
  pictures,
  key,
})

/** Where one of them can't be attached, nothing is sent. */
async function takeUp(tx: Db, site: Site, id: string, seq: number, { authorId, pictures = [] }: Said): Promise<void> {
  if (pictures.length === 0) return
  if (!(await attachPictures(tx, site.id, { id, seq, authorId }, pictures))) throw new AppError('PICTURE_GONE')
}

/** A conversation as one side sees it. */
export function itemFor(role: FeedbackRole, row: FeedbackRow, mobile: string | null): FeedbackItem {
  const { id, status, time, content, oldest, lastSeq, waitingSince, offered, userTexts, merchantTexts, rating } = row
  const seen = role === 'user' ? row.userSeen : row.merchantSeen
  const more = oldest !== null && oldest > 1
  const unread = seen < lastSeq
  const counts = { lastSeq, userTexts, merchantTexts }
  return { id, status, mobile, time, content, more, waitingSince, unread, offered, rating, ...counts }
}

/** For a user, another user's conversation doesn't exist. */
const mayMove = (role: FeedbackRole, held: HeldFeedback | undefined, userId: UserId): held is HeldFeedback =>
  held !== undefined && (role === 'merchant' || held.userId === userId)

/**
 * One move under the conversation's lock; the state machine alone decides. Idempotent: a message sent before under the
 * same key adds nothing.
 */
async function move(
  tx: Db,
  site: Site,
  id: string,
  kind: FeedbackMove,
  entry: Said,
): Promise<Sent & { owner: UserId }> {
  const held = await holdFeedback(tx, site.id, id)
  if (!mayMove(entry.role, held, entry.authorId)) throw new AppError('NOT_FOUND')
  const before = entry.key === undefined ? undefined : await findSent(tx, site.id, id, entry.role, entry.key)
  if (before !== undefined) return { id, seq: before, status: held.status, owner: held.userId }
  const status = nextStatus(held, kind)
  if (status === undefined) {
    if (kind === 'userSends') throw new AppError('FEEDBACK_CLOSED')
    throw new AppError('FEEDBACK_STATUS_CONFLICT', { status: held.status })
  }
  const next = { ...afterMove(held, kind, status, entry.wordless), waiting: isWaiting(status) }
  const explicit = feedbackMoves[kind].explicit ? status : undefined
  const seq = await addEntry(tx, site.id, id, { ...entry, status: explicit }, next)
  await takeUp(tx, site, id, seq, entry)
  if (entry.message !== '') await queueFeedbackNotice(tx, site, id, entry.role === 'user' ? 'merchant' : 'user', seq)
  const about = { subject: held.userId, id, user: held.userId }
  if (entry.message !== '')
    await recordEvent(tx, site.id, { type: 'feedback.replied', ...about, changed: [entry.role] })
  if (status === feedbackStatus.closed && held.status !== status)
    await recordEvent(tx, site.id, { type: 'feedback.closed', ...about, changed: ['status'] })
  return { id, seq, status, owner: held.userId }
}

async function published(deps: Needs, site: Site, { owner, ...sent }: Sent & { owner: UserId }): Promise<Sent> {
  await publish(deps.cache, { site: site.id, user: owner, conversation: sent.id, seq: sent.seq })
  return sent
}

/** The same key derives the same id, so that beginning a conversation twice is idempotent; others can't guess it. */
function newId({ config }: Needs, site: Site, userId: UserId, key: string | undefined): string {
  if (key === undefined) return randomUUID()
  const hex = keyedHash(config.keys, 'feedback-id', `${site.id} ${userId} ${key}`).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export async function sendByUser(
  deps: Needs,
  site: Site,
  { userId }: Caller,
  { id, ...said }: Message & { id?: string | undefined },
): Promise<Sent> {
  const entry = saidBy('user', userId, said)
  if (id !== undefined)
    return await published(
      deps,
      site,
      await deps.db.transaction().execute((tx) => move(tx, site, id, 'userSends', entry)),
    )
  const begun = newId(deps, site, userId, said.key)
  const sent = await deps.db.transaction().execute(async (tx) => {
    if (await insertFeedback(tx, site.id, begun, entry)) {
      await takeUp(tx, site, begun, 1, entry)
      await queueFeedbackNotice(tx, site, begun, 'merchant', 1)
      await recordEvent(tx, site.id, { type: 'feedback.created', subject: userId, id: begun, user: userId })
      return { id: begun, seq: 1, status: 0 as const, owner: userId }
    }
    return await move(tx, site, begun, 'userSends', entry)
  })
  return await published(deps, site, sent)
}

export async function confirm(deps: Needs, site: Site, { userId }: Caller, id: string): Promise<Sent> {
  const entry = { role: 'user', authorId: userId, message: '' } as const
  return await published(
    deps,
    site,
    await deps.db.transaction().execute((tx) => move(tx, site, id, 'userConfirms', entry)),
  )
}

/** The author of what a client writes: no user's id. The operator log names the client. */
const machineAuthor = '00000000-0000-0000-0000-000000000000' as UserId

/** A move by a client of kind machine, which belongs to the merchant. */
export async function moveByMachine(
  deps: Needs,
  site: Site,
  machine: Machine,
  id: string,
  { message = '', change, hold }: { message?: string; change: Change; hold: (tx: Db) => Promise<void> },
): Promise<Sent> {
  const kind = message === '' ? 'merchantCloses' : 'merchantReplies'
  const action = message === '' ? 'feedback.status' : 'feedback.reply'
  const detail = message === '' ? { status: feedbackStatus.closed } : {}
  const moved = await deps.db.transaction().execute(async (tx) => {
    await holdFeedback(tx, site.id, id)
    await hold(tx)
    const { owner, ...sent } = await move(tx, site, id, kind, saidBy('merchant', machineAuthor, { message }))
    await recordOperator(tx, site.id, { operator: machineName(machine), action, target: id, detail })
    return { owner, ...(await change.settle(tx, sent)) }
  })
  return await published(deps, site, moved)
}

export async function reply(
  deps: Needs & Pick<Deps, 'redis'>,
  site: Site,
  { userId }: Caller,
  { id, ...said }: Message & { id: string },
): Promise<Sent> {
  const entry = saidBy('merchant', userId, said)
  const sent = await deps.db.transaction().execute((tx) => move(tx, site, id, 'merchantReplies', entry))
  await endWriting(deps, site, userId, id)
  return await published(deps, site, sent)
}

/** An explicit move by the status it sets; a transition that the table lacks is a conflict. */
export async function setStatus(
  deps: Needs,
  site: Site,
  { userId }: Caller,
  { id, status }: { id: string; status: number },
): Promise<Sent> {
  const kind = merchantMoves[status]
  const entry = { role: 'merchant', authorId: userId, message: '' } as const
  const sent = await deps.db.transaction().execute(async (tx) => {
    if (!kind) {
      const held = await holdFeedback(tx, site.id, id)
      throw held ? new AppError('FEEDBACK_STATUS_CONFLICT', { status: held.status }) : new AppError('NOT_FOUND')
    }
    const moved = await move(tx, site, id, kind, entry)
    await recordOperator(tx, site.id, { operator: userId, action: 'feedback.status', target: id, detail: { status } })
    return moved
  })
  return await published(deps, site, sent)
}

export async function listOwn(
  deps: Pick<Needs, 'db'>,
  site: Site,
  { userId, user }: Caller,
  wanted: Parameters<typeof listOfUser>[3],
): Promise<{ count: number; data: FeedbackItem[] }> {
  const { count, rows } = await listOfUser(deps.db, site.id, userId, wanted)
  return { count, data: rows.map((row) => itemFor('user', row, user.mobile)) }
}

export async function readOwn(
  deps: Pick<Needs, 'db'>,
  site: Site,
  { userId, user }: Caller,
  { id, ...part }: Part & { id: string },
): Promise<FeedbackItem> {
  const row = await readFeedback(deps.db, site.id, id, part)
  if (row?.userId !== userId) throw new AppError('NOT_FOUND')
  return itemFor('user', row, user.mobile)
}

/** A page may call this after every fetch: only changes are written. */
export async function noteRead(
  deps: Pick<Needs, 'db'>,
  site: Site,
  role: FeedbackRole,
  { userId }: Caller,
  { id, seq }: { id: string; seq: number },
): Promise<null> {
  const owner = await ownerOf(deps.db, site.id, id)
  if (owner === undefined || (role === 'user' && owner !== userId)) throw new AppError('NOT_FOUND')
  await noteSeen(deps.db, site.id, id, role, seq)
  return null
}

export async function readUnread(deps: Pick<Deps, 'db' | 'clock' | 'config'>, site: Site, caller: Caller) {
  return await countUnread(deps.db, site.id, caller.userId, actsAs(deps, caller, 'READ'))
}
