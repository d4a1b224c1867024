import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Asker } from '../../shared/send-limits/code-limits.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { parseMobile } from '../users/login-names.ts'
import { findReceiverOwner, type ReceiverOwner } from '../users/receiver-owner.ts'
import { type CodeRequest, sendCode } from './verify-code.service.ts'

type Needs = Parameters<typeof sendCode>[0] & Pick<Deps, 'db'>

interface Ask extends Pick<CodeRequest, 'address' | 'bucket' | 'browserHash'> {
  proof?: string | undefined
  /** Whose session it is, if there is one. */
  signedIn: UserId | undefined
}

export interface MobileAsk extends Ask {
  mobilePrefix: string
  mobile: string
  /** Given where a signed-in user signs in again. */
  type?: 'login' | undefined
}

function askerOf({ userId, known }: ReceiverOwner, signedIn: UserId | undefined): Asker {
  if (known || (signedIn !== undefined && signedIn === userId)) return 'own'
  return signedIn === undefined ? 'stranger' : 'proved'
}

/**
 * Signed out, a code to sign in with; signed in, one to move the account to this number unless asked otherwise. A number of a region that the
 * site doesn't serve causes no SMS.
 */
export async function askMobileCode(deps: Needs, site: Site, ask: MobileAsk): Promise<{ retryAfter: number }> {
  const mobile = site.login.prefixes.includes(ask.mobilePrefix) ? parseMobile(ask.mobilePrefix, ask.mobile) : undefined
  if (!mobile) throw new AppError('MOBILE_INVALID', { field: 'mobile' })
  const { signedIn, address, bucket, browserHash, proof } = ask
  const receiver = { kind: 'mobile' as const, mobile, value: mobile.value }
  const owner = await findReceiverOwner(deps.db, site.id, receiver, browserHash)
  const purpose = signedIn === undefined ? 'login' : (ask.type ?? 'changeMobile')
  const closed = purpose === 'login' && site.config.registration === 'closed'
  return await sendCode(deps, site, {
    address,
    bucket,
    browserHash,
    powSolution: proof,
    receiver,
    purpose,
    asker: askerOf(owner, signedIn),
    send: !closed || owner.userId !== undefined,
    wait: !closed,
  })
}

export async function askEmailCode(
  deps: Needs,
  site: Site,
  { email, signedIn, proof, ...ask }: Ask & { email: string },
): Promise<{ retryAfter: number }> {
  const receiver = { kind: 'email' as const, value: email }
  const owner = await findReceiverOwner(deps.db, site.id, receiver, ask.browserHash)
  return await sendCode(deps, site, {
    ...ask,
    powSolution: proof,
    receiver,
    purpose: 'authorize',
    asker: askerOf(owner, signedIn),
    send: true,
    wait: true,
  })
}
