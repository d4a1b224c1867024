import type { SignedIn, Visitor } from '../core/begin-session.ts'
import { addressBucket } from './address.ts'
import type { Context } from './serve.ts'

/** The browser that calls, as a sign-in needs to know it. */
export const visitorOf = (context: Context, agreements?: string): Visitor => ({
  address: context.address,
  bucket: addressBucket(context.address),
  userAgent: context.userAgent,
  browserHash: context.browserHash(),
  agreements,
})

/** Gives the browser its session and says whose it is. */
export function welcome(context: Context, { token, created }: SignedIn): { id: string; created: boolean } {
  context.signIn(token)
  return { id: token.userId, created }
}
