import * as contract from '@hufu/contract/account'
import type { App } from '../../http/app.ts'
import { changerOf, renewed } from '../../http/changer.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeEmail, changeMobile, changePassword, changeUsername } from './account.service.ts'

export function accountRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.changeMobile, async (input, context) =>
    renewed(context, await changeMobile(deps, context.site, input, changerOf(context)), null),
  )
  serve(app, deps, contract.changePassword, async ({ password }, context) =>
    renewed(context, await changePassword(deps, context.site, password, changerOf(context)), null),
  )
  serve(app, deps, contract.changeEmail, async (input, context) =>
    renewed(context, await changeEmail(deps, context.site, input, changerOf(context)), null),
  )
  serve(app, deps, contract.changeUsername, async ({ username }, context) =>
    renewed(context, await changeUsername(deps, context.site, username, changerOf(context)), null),
  )
}
