import { AppError } from '../../platform/app-error.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { insertConsent, lookAtSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type Consent, listConsents } from './agreements.store.ts'

/** Only the version in force can be agreed to: a user who read another one is asked to read this one. */
export async function agree(
  deps: Pick<Deps, 'db' | 'cache'>,
  site: Site,
  { userId, session }: Caller,
  version: string,
  address: string,
): Promise<null> {
  if (site.config.agreements?.version !== version) throw new AppError('AGREEMENTS_OTHER')
  await changeUser(deps, site.id, userId, async (tx) => {
    if (!(await lookAtSession(tx, site.id, userId, session.id))) throw new AppError('SESSION_REMOVED')
    if (!(await insertConsent(tx, site.id, userId, version))) return
    await recordSecurity(tx, site.id, { event: 'agreements.agree', userId, address, detail: { version } })
  })
  return null
}

export async function consentsOf(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { userId }: Caller,
): Promise<{ count: number; data: Consent[] }> {
  const data = await listConsents(db, site.id, userId)
  return { count: data.length, data }
}
