import { AppError } from '../../platform/app-error.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import { readSite } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { lockUser } from '../users/user.store.ts'
import { countPasskeys as countOn } from './passkeys.store.ts'
import { type Reset, type ResetFactors, resetFactors } from './reset-factors.ts'

/** The same from the command line, for the last ADMIN. */
export async function resetByCommandLine(
  deps: Pick<Deps, 'db' | 'cache' | 'config'>,
  siteId: SiteId,
  userId: UserId,
  reset: Reset,
): Promise<ResetFactors> {
  const site = await readSite(deps.db, siteId)
  if (!site) throw new AppError('SITE_UNKNOWN')
  return await changeUser(deps, siteId, userId, async (tx, report) => {
    const user = (await lockUser(tx, siteId, userId)) ? await readUser(tx, siteId, userId) : undefined
    if (!user) throw new AppError('NOT_FOUND')
    if (!user.permission.MERCHANT)
      throw new Error('the account is no operator; customers use a recovery code or the recovery')
    const needs = { config: deps.config, clock: { now: Date.now } }
    const { ended, ...ticket } = await resetFactors(tx, needs, site, user, withoutStepUp('commandLine'), reset)
    report(ended)
    return ticket
  })
}

/** How many passkeys of a site belong to this host. */
export const countPasskeys = ({ db }: Pick<Deps, 'db'>, siteId: SiteId, host: string): Promise<number> =>
  countOn(db, siteId, host)
