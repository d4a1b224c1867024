import * as contract from '@hufu/contract/personal-data'
import type { App } from '../../http/app.ts'
import { type Context, serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller, Changer } from '../../shared/sessions/sessions.ts'
import { closeAccount, keepAccount } from './closing.service.ts'

const changer = (context: Context & { caller: Caller }): Changer => ({
  caller: context.caller,
  address: context.address,
  browserHash: context.browserHash(),
})

export function closingRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.closeAccount, async (_input, context) => {
    const { token, due } = await closeAccount(deps, context.site, changer(context))
    context.signIn(token)
    return { due }
  })
  serve(app, deps, contract.keepAccount, (_input, context) => keepAccount(deps, context.site, changer(context)))
}
