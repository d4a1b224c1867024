import * as contract from '@hufu/contract/authorize'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { bindAuthorization, createAuthorization, exchangeTicket, leadToLogin } from './authorize.service.ts'

export function authorizeRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.createAuthorization, (input, { site }) => createAuthorization(deps, site, input))
  serve(app, deps, contract.bindAuthorization, async ({ id }, context) => {
    const { site, address } = context
    const caller = await context.whoCalls()
    if (!caller) return await leadToLogin(deps, site, id)
    return await bindAuthorization(deps, site, id, { caller, address })
  })
  serve(app, deps, contract.exchangeTicket, (shown, { site, caller }) => exchangeTicket(deps, site, caller, shown))
}
