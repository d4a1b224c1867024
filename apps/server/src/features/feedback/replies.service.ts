import { randomUUID } from 'node:crypto'
import type { QuickReply } from '@hufu/contract/feedback-desk'
import { repliesMost } from '@hufu/contract/feedback-rules'
import { AppError } from '../../platform/app-error.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { deleteReply, findReply, holdReplies, insertReply, listReplies, updateReply } from './replies.store.ts'

type Needs = Pick<Deps, 'db'>

/** In pinyin order, as users expect of Chinese titles; the database orders them by code point. */
const order = new Intl.Collator('zh-CN', { numeric: true })

export async function repliesOf({ db }: Needs, site: Site): Promise<QuickReply[]> {
  const replies = await listReplies(db, site.id)
  return replies.sort((one, other) => order.compare(one.title, other.title) || one.id.localeCompare(other.id))
}

interface Wanted {
  id?: string | undefined
  title: string
  text: string
  key?: string | undefined
}

/** Idempotent: the key is the new one's id; what was stored under it before is answered unchanged. */
async function keepOnce(tx: Db, site: Site, wanted: QuickReply): Promise<{ kept: QuickReply; written: boolean }> {
  await holdReplies(tx, site.id)
  const before = await findReply(tx, site.id, wanted.id)
  if (before) return { kept: before, written: false }
  if (!(await insertReply(tx, site.id, wanted, repliesMost))) throw new AppError('REPLIES_FULL')
  return { kept: wanted, written: true }
}

async function change(tx: Db, site: Site, wanted: QuickReply): Promise<{ kept: QuickReply; written: boolean }> {
  if (!(await updateReply(tx, site.id, wanted))) throw new AppError('NOT_FOUND')
  return { kept: wanted, written: true }
}

export async function saveReply(
  { db }: Needs,
  site: Site,
  { userId }: Caller,
  { id, title, text, key = randomUUID() }: Wanted,
): Promise<QuickReply> {
  return await db.transaction().execute(async (tx) => {
    const wanted = { id: id ?? key, title, text }
    const { kept, written } = id === undefined ? await keepOnce(tx, site, wanted) : await change(tx, site, wanted)
    const entry = { operator: userId, action: 'reply.save', target: kept.id, detail: { title } } as const
    if (written) await recordOperator(tx, site.id, entry)
    return kept
  })
}

export async function removeReply({ db }: Needs, site: Site, { userId }: Caller, id: string): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const title = await deleteReply(tx, site.id, id)
    if (title === undefined) throw new AppError('NOT_FOUND')
    await recordOperator(tx, site.id, { operator: userId, action: 'reply.remove', target: id, detail: { title } })
  })
  return null
}
