import { randomUUID } from 'node:crypto'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../deps.ts'
import type { Site } from '../sites/sites.ts'
import { type HeldKey, holdKey, readKey, releaseKey, storeAnswer } from './idempotent.store.ts'
import type { Machine } from './machine.ts'

/** What a machine says of a change besides its input. */
export interface Change {
  ifMatch: string | undefined
  /**
   * The last statement of the change's transaction: the answer to its Idempotency-Key is stored exactly when the change
   * is. An answer holds no personal data.
   */
  settle<Answer extends object>(tx: Db, answer: Answer): Promise<Answer>
}

/** Without a key there is nothing to store. */
export const plainChange: Change = { ifMatch: undefined, settle: async (_tx, answer) => answer }

export interface BegunChange extends Change {
  release(): Promise<void>
}

export interface ChangeRequest {
  key: string | undefined
  ifMatch: string | undefined
  /** Method, address and input: the same key with another request is a mistake of the client. */
  request: string
}

const keyShape = /^[!-~]{1,255}$/

/** The answer to an earlier request with this key, or the change that this request may make. */
export async function beginChange(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { client }: Machine,
  { key, ifMatch, request }: ChangeRequest,
): Promise<{ answer: unknown } | BegunChange> {
  if (key === undefined) return { ...plainChange, ifMatch, release: async () => {} }
  if (!keyShape.test(key)) throw new AppError('INPUT_INVALID', { field: 'Idempotency-Key' })
  const [hash, asked] = [sha256(key), sha256(request)]
  const held: HeldKey = { siteId: site.id, clientId: client.id, key: hash, request: asked, holder: randomUUID() }
  if (!(await holdKey(db, held))) return { answer: await answerOf(db, held) }
  return {
    ifMatch,
    async settle(tx, answer) {
      if (!(await storeAnswer(tx, held, answer))) throw new AppError('REQUEST_RUNNING', { retryAfter: 1 })
      return answer
    },
    release: () => releaseKey(db, held),
  }
}

async function answerOf(db: Db, held: HeldKey): Promise<unknown> {
  const known = await readKey(db, held)
  if (known && !known.request.equals(held.request)) throw new AppError('KEY_REUSED')
  // Gone by now where the other request was refused.
  if (!known?.answer) throw new AppError('REQUEST_RUNNING', { retryAfter: 1 })
  return known.answer
}
