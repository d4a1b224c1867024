import * as contract from '@hufu/contract/profile'
import type { App } from '../../http/app.ts'
import { Prepared, serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { hasSteppedUp, type UserState } from '../../shared/sessions/sessions.ts'
import { enrolBy } from '../../shared/step-up/operator-factor.ts'
import { changeAvatar, changeNickname, changePreference } from './profile.service.ts'

/** Every page asks for it, so the answer is cached with the state it was made from. */
const answers = { plain: new WeakMap<UserState, Prepared>(), steppedUp: new WeakMap<UserState, Prepared>() }

function answerFor(deps: Deps, user: UserState, twoFactor: boolean): Prepared {
  const kept = twoFactor ? answers.steppedUp : answers.plain
  const known = kept.get(user)
  if (known) return known
  const answer = new Prepared(contract.userInfo.output.parse({ ...user, twoFactor, enrolBy: enrolByOf(deps, user) }))
  kept.set(user, answer)
  return answer
}

/** Null for customers and for operators who have a factor. */
const enrolByOf = (deps: Deps, { permission, protected: enrolled }: UserState): number | null =>
  permission.MERCHANT && !enrolled ? enrolBy(deps) : null

export function profileRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.userInfo, (_input, { caller }) =>
    answerFor(deps, caller.user, hasSteppedUp(caller, deps.clock.now())),
  )
  serve(app, deps, contract.changeNickname, ({ nickname }, { site, caller }) =>
    changeNickname(deps, site, caller.userId, nickname),
  )
  serve(app, deps, contract.changePreference, (change, { site, caller }) =>
    changePreference(deps, site, caller.userId, change),
  )
  serve(app, deps, contract.changeAvatar, ({ file }, { site, caller }) => changeAvatar(deps, site, caller.userId, file))
}
