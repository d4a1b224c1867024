import * as contract from '@hufu/contract/account'
import type { App } from '../../http/app.ts'
import { type Context, serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import type { Caller, Changer } from '../../shared/sessions/sessions.ts'
import { changeEmail, changeMobile, changePassword, changeUsername } from './account.service.ts'

type CallerContext = Context & { caller: Caller }

const changer = (context: CallerContext): Changer => ({
  caller: context.caller,
  address: context.address,
  browserHash: context.browserHash(),
})

/** The change answered with a new secret. */
function renew(context: Pick<Context, 'signIn'>, token: SessionToken): null {
  context.signIn(token)
  return null
}

export function accountRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.changeMobile, async (input, context) =>
    renew(context, await changeMobile(deps, context.site, input, changer(context))),
  )
  serve(app, deps, contract.changePassword, async ({ password }, context) =>
    renew(context, await changePassword(deps, context.site, password, changer(context))),
  )
  serve(app, deps, contract.changeEmail, async (input, context) =>
    renew(context, await changeEmail(deps, context.site, input, changer(context))),
  )
  serve(app, deps, contract.changeUsername, async ({ username }, context) =>
    renew(context, await changeUsername(deps, context.site, username, changer(context))),
  )
}
