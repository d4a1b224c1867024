import { AppError } from '../../platform/app-error.ts'
import { type Keys, seal, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Whose } from './personal-data.store.ts'
import { insertSealed, type Kept, listOtherKey, listSealed, listSignIns, replaceSealed } from './sealed.store.ts'

/** The seal context: a row that was copied to another user or site can't be opened there. */
const contextOf = (siteId: SiteId, userId: UserId, id: string) => `${siteId}/sealed-sign-in/${userId}/${id}`

/** Copies what the law requires of a user who is about to be erased: sign-ins with address and time. */
export async function sealSignIns(tx: Db, keys: Keys, { siteId, userId, names }: Whose): Promise<void> {
  const signIns = await listSignIns(tx, siteId, userId)
  const rows = signIns.map(({ id, at, event, address, detail }) => {
    const text = JSON.stringify({ user: userId, names, event, address, time: at, detail })
    return { id, at, sealed: seal(keys, contextOf(siteId, userId, id), text) }
  })
  await insertSealed(tx, siteId, userId, rows)
}

/** For the administrator of the server. The access and its reason are recorded before anything is printed. */
export async function readSealed(
  { db, config: { keys } }: Pick<Deps, 'db' | 'config'>,
  siteId: SiteId,
  userId: UserId,
  { operator, reason }: { operator: string; reason: string },
): Promise<unknown[]> {
  const given = reason.trim().toWellFormed()
  if (given === '') throw new AppError('INPUT_INVALID', { field: 'reason' })
  return await db.transaction().execute(async (tx) => {
    await recordOperator(tx, siteId, { operator, action: 'sealed.read', target: userId, detail: { reason: given } })
    const rows = await listSealed(tx, siteId, userId)
    return rows.map(({ id, sealed }) => JSON.parse(unseal(keys, contextOf(siteId, userId, id), sealed)))
  })
}

const rowsAtOnce = 500

/** Seals rows under an old key with the current one, once through the table; answers how many. */
export async function rotateSealed({ db, config: { keys } }: Pick<Deps, 'db' | 'config'>): Promise<number> {
  const some = (last?: Kept) =>
    db.transaction().execute(async (tx) => {
      const rows = await listOtherKey(tx, keys.current, rowsAtOnce, last)
      for (const row of rows) {
        const context = contextOf(row.siteId, row.userId, row.id)
        await replaceSealed(tx, { ...row, sealed: seal(keys, context, unseal(keys, context, row.sealed)) })
      }
      return rows
    })
  let changed = 0
  for (let rows = await some(); rows.length > 0; rows = await some(rows.at(-1))) changed += rows.length
  return changed
}
