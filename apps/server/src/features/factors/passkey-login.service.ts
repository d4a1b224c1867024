import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import {
  admit,
  beginSession,
  refuseDisabled,
  type SignedIn,
  type Visitor,
} from '../../shared/sessions/begin-session.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { holdAccount } from '../users/users.store.ts'
import { newChallenge } from './passkey-challenges.ts'
import { requestOptions } from './passkey-options.ts'
import { provePasskey, spendPasskey } from './prove-passkey.ts'
import type { Assertion } from './verify-passkey.ts'

const signingIn = (browserHash: Buffer) => ({ purpose: 'login' as const, holder: browserHash })

/** For the browser that asks: any passkey of the site. Every visit of the sign-in page asks, so nothing is stored. */
export function passkeyLoginOptions(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  site: Site,
  browserHash: Buffer,
): Record<string, unknown> {
  const use = { siteId: site.id, ...signingIn(browserHash) }
  return requestOptions(site, newChallenge(config.keys, use, clock.now()))
}

/** Signs in by a passkey, which is both factors. It is spent in the transaction of the session. */
export async function loginByPasskey(
  deps: Pick<Deps, 'db' | 'config' | 'clock' | 'usage'>,
  site: Site,
  passkey: Assertion,
  visitor: Visitor,
): Promise<SignedIn> {
  const { browserHash, address } = visitor
  const right = await provePasskey(deps, site, { use: signingIn(browserHash), passkey, address })
  refuseDisabled(right)
  const { userId } = right
  const entered = await deps.db.transaction().execute(async (tx) => {
    if (!(await holdAccount(tx, site.id, userId))) throw new AppError('ACCOUNT_DISABLED')
    await spendPasskey(tx, site, right)
    return await beginSession(tx, site, userId, visitor, 'passkey', { factor: 'now' })
  })
  deps.usage.countAuthorized(site.id, userId)
  return admit({ entered, created: false })
}
