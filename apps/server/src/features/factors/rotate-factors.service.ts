import { seal, unseal } from '../../platform/crypto/secrets.ts'
import type { Deps } from '../../shared/deps.ts'
import { codeContext, totpContext } from './factor-codes.ts'
import { listOtherKey, replaceSealed, type SealedFactor } from './rotate-factors.store.ts'

const rowsAtOnce = 500
const contexts = { totp: totpContext, recovery_code: codeContext }

/** Seals authenticators and recovery codes under an old key with the current one; answers how many. */
export async function rotateFactors({ db, config: { keys } }: Pick<Deps, 'db' | 'config'>): Promise<number> {
  const some = (table: SealedFactor['table']) =>
    db.transaction().execute(async (tx) => {
      const rows = await listOtherKey(tx, table, keys.current, rowsAtOnce)
      for (const row of rows) {
        const context = contexts[table](row.siteId, row.userId)
        await replaceSealed(tx, { ...row, sealed: seal(keys, context, unseal(keys, context, row.sealed)) })
      }
      return rows.length
    })
  let changed = 0
  for (const table of ['totp', 'recovery_code'] as const)
    for (let rows = await some(table); rows > 0; rows = await some(table)) changed += rows
  return changed
}
