import { AppError } from '../../core/app-error.ts'
import type { Deps } from '../../core/deps.ts'
import type { Site } from '../../core/sites.ts'
import { parseMobile } from '../users/login-names.ts'
import { findOwner, isTaken } from '../users/users.store.ts'
import { type CodeRequest, sendCode } from './verify-code.service.ts'

type Needs = Parameters<typeof sendCode>[0] & Pick<Deps, 'db'>
type Asker = Pick<CodeRequest, 'address' | 'bucket' | 'browserHash' | 'proof'>

export interface MobileAsk extends Asker {
  mobilePrefix: string
  mobile: string
  signedIn: boolean
  /** Dial prefixes that the site serves; a number from elsewhere costs nobody a message. */
  prefixes: readonly string[]
}

/** Signed out, a code to sign in with; signed in, one to move the account to this number. */
export async function askMobileCode(deps: Needs, site: Site, ask: MobileAsk): Promise<{ retryAfter: number }> {
  const mobile = ask.prefixes.includes(ask.mobilePrefix) ? parseMobile(ask.mobilePrefix, ask.mobile) : undefined
  if (!mobile) throw new AppError('MOBILE_INVALID', { field: 'mobile' })
  const closed = !ask.signedIn && site.config.registration === 'closed'
  return await sendCode(deps, site, {
    ...ask,
    receiver: { kind: 'mobile', mobile, value: mobile.value },
    purpose: ask.signedIn ? 'changeMobile' : 'login',
    known: async () => (await findOwner(deps.db, site.id, 'mobile', mobile.value))?.stale === false,
    send: !closed || (await isTaken(deps.db, site.id, 'mobile', mobile.value)),
    wait: !closed,
  })
}

export async function askEmailCode(
  deps: Needs,
  site: Site,
  { email, ...ask }: Asker & { email: string },
): Promise<{ retryAfter: number }> {
  return await sendCode(deps, site, {
    ...ask,
    receiver: { kind: 'email', value: email },
    purpose: 'authorize',
    known: async () => true,
    send: true,
    wait: true,
  })
}
