import { userInfo } from '@hufu/contract/profile'
import type { Deps } from '../../core/deps.ts'
import type { UserState } from '../../core/sessions.ts'
import type { App } from '../../http/app.ts'
import { steppedUp } from '../../http/guard.ts'
import { Prepared, serve } from '../../http/serve.ts'

/** Every page asks for it, so the answer is kept beside the state it was made from. */
const answers = { plain: new WeakMap<UserState, Prepared>(), steppedUp: new WeakMap<UserState, Prepared>() }

function answerFor(user: UserState, twoFactor: boolean): Prepared {
  const kept = twoFactor ? answers.steppedUp : answers.plain
  const known = kept.get(user)
  if (known) return known
  const answer = new Prepared(userInfo.output.parse({ ...user, twoFactor }))
  kept.set(user, answer)
  return answer
}

export function profileRoutes(app: App, deps: Deps): void {
  serve(app, deps, userInfo, (_input, { caller }) => answerFor(caller.user, steppedUp(deps, caller)))
}
