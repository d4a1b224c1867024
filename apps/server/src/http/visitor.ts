import type { Deps } from '../shared/deps.ts'
import type { SignedIn, Visitor } from '../shared/sessions/begin-session.ts'
import { invalidateUser } from '../shared/sessions/sessions.ts'
import { addressBucket } from './address.ts'
import type { Context } from './serve.ts'

/** The calling browser, as a sign-in needs to know it. */
export const visitorOf = (context: Context, agreements?: string): Visitor => ({
  address: context.address,
  bucket: addressBucket(context.address),
  userAgent: context.userAgent,
  browserHash: context.browserHash(),
  agreements,
})

/** Sets the session cookie and answers whose session it is. */
export async function welcome(
  deps: Pick<Deps, 'cache'>,
  context: Context,
  { token, created }: SignedIn,
): Promise<{ id: string; created: boolean }> {
  // By hand: a sign-in learns whose account it is only within its transaction, which has committed.
  if (token.agreed) await invalidateUser(deps, context.site.id, token.userId)
  context.signIn(token)
  return { id: token.userId, created }
}
