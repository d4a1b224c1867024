import { wrappedHash } from '../../platform/crypto/imported-hash.ts'
import { hashApart } from '../../platform/crypto/password-hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { addPasswordForms } from '../users/password-forms.store.ts'
import { reopenBuckets } from '../users/user-list-index.store.ts'
import { namesOf } from './decide-on-site.ts'
import type { ImportedUser } from './imported-user.ts'
import { insertAccesses, insertNames, insertPasswords, insertUsers, type NewPasswords } from './users-import.store.ts'

/** A sign-up took a name or an id between the decision and the insert: the transaction must be rolled back. */
export class LostRace extends Error {}

/** The stored passwords of users. Digests are hashed before any transaction begins. */
export type Secrets = Map<ImportedUser, { secret: string; form: string | null }>

export async function secretsOf(users: ImportedUser[]): Promise<Secrets> {
  const secrets: Secrets = new Map()
  await Promise.all(
    users.map(async (user) => {
      const { password } = user
      if (!password) return
      if ('secret' in password) return void secrets.set(user, password)
      const { formula, salt, digest } = password
      secrets.set(user, { secret: wrappedHash(formula, salt, await hashApart(digest)), form: null })
    }),
  )
  return secrets
}

const byCommandLine = withoutStepUp('commandLine')

export async function insertAll(tx: Db, siteId: SiteId, users: ImportedUser[], secrets: Secrets): Promise<void> {
  if (users.length === 0) return
  const times = users.flatMap(({ createdAt }) => createdAt ?? [])
  if (times.length > 0)
    await reopenBuckets(
      tx,
      siteId,
      times.reduce((a, b) => (a < b ? a : b)),
    )
  const column = <Name extends keyof ImportedUser>(name: Name) => users.map((user) => user[name])
  const inserted = await insertUsers(tx, byCommandLine, siteId, {
    ids: column('id'),
    statuses: column('status'),
    createdAt: column('createdAt'),
    nicknames: column('nickname'),
    wechatNicknames: column('wechatNickname'),
    wechatOpenIds: column('wechatOpenId'),
    prefixes: column('mobilePrefix'),
    mobiles: column('mobile'),
    emails: column('email'),
    usernames: column('username'),
  })
  if (inserted < users.length) throw new LostRace()
  await insertSecrets(tx, siteId, users, secrets)
  const seen = users.filter(({ lastAccessAt }) => lastAccessAt !== null)
  if (seen.length > 0)
    await insertAccesses(
      tx,
      siteId,
      seen.map(({ id }) => id),
      seen.flatMap(({ lastAccessAt }) => lastAccessAt ?? []),
    )
  const names = namesOf(users)
  const given = await insertNames(tx, byCommandLine, siteId, {
    ...names,
    users: users.flatMap(({ id, names: own }) => own.map(() => id)),
    provedAt: users.flatMap(({ names: own }) => own.map(({ provedAt }) => provedAt)),
  })
  if (given < names.values.length) throw new LostRace()
}

async function insertSecrets(tx: Db, siteId: SiteId, users: ImportedUser[], secrets: Secrets): Promise<void> {
  const rows: NewPasswords = { users: [], secrets: [], forms: [] }
  for (const user of users) {
    const own = secrets.get(user)
    if (!own) continue
    rows.users.push(user.id)
    rows.secrets.push(own.secret)
    rows.forms.push(own.form)
  }
  if (rows.users.length === 0) return
  await insertPasswords(tx, byCommandLine, siteId, rows)
  const forms = Map.groupBy(
    rows.forms.filter((form) => form !== null),
    (form) => form,
  )
  const counts = [...forms].map(([form, all]) => ({ form, count: all.length }))
  await addPasswordForms(tx, siteId, [{ form: '', count: rows.users.length }, ...counts])
}
