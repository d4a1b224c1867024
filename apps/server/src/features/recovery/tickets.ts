import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Visitor } from '../../shared/sessions/begin-session.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { UserState } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { settledEmail } from '../users/account-changes.store.ts'
import { lockUser } from '../users/user.store.ts'
import { readTicket, type Ticket, useTicket } from './recovery.store.ts'

/** A user with an address for the code. */
export type Owner = UserState & { email: string }

/** The browser that holds a ticket, and its account. */
export interface Holder {
  ticketHash: Buffer
  owner: Owner
  /** The change that the ticket can undo, where the password before it opened the ticket. */
  changeId: string | null
}

/**
 * What a ticket has proved: the password alone, or the mailed code as well; `undo`: both, the password a former one.
 */
type Needed = 'password' | 'both' | 'undo'

/** One answer to every invalid ticket: wrong, of another browser or site, expired, used up, not proved yet. */
async function accept(
  db: Db,
  site: Site,
  ticket: Ticket | undefined,
  user: UserState | undefined,
  needed: Needed,
): Promise<Owner> {
  const email = ticket && user?.status === 'active' ? await mailboxOf(db, site, ticket, user) : null
  if (!ticket || !user || !email || !shows(ticket, needed)) throw new AppError('RECOVERY_EXPIRED')
  return { ...user, email }
}

const shows = ({ proved, changeId }: Ticket, needed: Needed): boolean =>
  needed === 'password' || (proved && (changeId !== null) === (needed === 'undo'))

/** The code for a former password goes to the address from before all recent changes. */
async function mailboxOf(db: Db, site: Site, { changeId }: Ticket, { id, email }: UserState): Promise<string | null> {
  const settled = changeId === null ? undefined : await settledEmail(db, site.id, id)
  return settled ? settled.email : email
}

/** The ticket of this browser; every use of it is counted. */
export async function holderOf(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  ticket: string,
  needed: Needed,
  { browserHash }: Visitor,
): Promise<Holder> {
  const ticketHash = sha256(ticket)
  const used = await useTicket(db, site.id, ticketHash, browserHash)
  const user = used && (await readUser(db, site.id, used.userId))
  return { ticketHash, owner: await accept(db, site, used, user, needed), changeId: used?.changeId ?? null }
}

/** The same under the user's lock: until the transaction ends the recovery and its proofs can't change. */
export async function hold(tx: Db, site: Site, { ticketHash, owner }: Holder, needed: Needed): Promise<Owner> {
  await lockUser(tx, site.id, owner.id)
  const user = await readUser(tx, site.id, owner.id)
  return await accept(tx, site, await readTicket(tx, site.id, ticketHash), user, needed)
}
