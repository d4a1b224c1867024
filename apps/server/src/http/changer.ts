import type { SessionToken } from '../shared/sessions/session-cookie.ts'
import type { Caller, Changer } from '../shared/sessions/sessions.ts'
import type { Context } from './serve.ts'

/** The calling user and browser, as a change of the account needs to know them. */
export const changerOf = (context: Context & { caller: Caller }): Changer => ({
  caller: context.caller,
  address: context.address,
  browserHash: context.browserHash(),
})

/** Answers a change that renewed the secret of the session. */
export function renewed<Answer>(context: Pick<Context, 'signIn'>, token: SessionToken, answer: Answer): Answer {
  context.signIn(token)
  return answer
}
