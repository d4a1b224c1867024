import * as contract from '@hufu/contract/factors'
import type { App } from '../../http/app.ts'
import { changerOf, renewed } from '../../http/changer.ts'
import { serve } from '../../http/serve.ts'
import { visitorOf, welcome } from '../../http/visitor.ts'
import type { Deps } from '../../shared/deps.ts'
import { loginByFactor, readFactorTicket } from './factor-login.service.ts'
import {
  beginTotp,
  confirmTotp,
  forgetTrusted,
  readFactorState,
  removeFactors,
  removeTotp,
  renewRecoveryCodes,
} from './factors.service.ts'

export function factorRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.readFactorTicket, ({ ticket }, context) =>
    readFactorTicket(deps, context.site, ticket, visitorOf(context)),
  )
  serve(app, deps, contract.loginByFactor, async (input, context) =>
    welcome(deps, context, await loginByFactor(deps, context.site, input, visitorOf(context))),
  )
  serve(app, deps, contract.factorState, (_input, { site, caller }) => readFactorState(deps, site, caller))
  serve(app, deps, contract.beginTotp, (input, context) => beginTotp(deps, context.site, changerOf(context), input))
  serve(app, deps, contract.confirmTotp, async (input, context) => {
    const { token, recoveryCodes } = await confirmTotp(deps, context.site, changerOf(context), input)
    return renewed(context, token, { recoveryCodes })
  })
  serve(app, deps, contract.removeTotp, async (_input, context) =>
    renewed(context, await removeTotp(deps, context.site, changerOf(context)), null),
  )
  serve(app, deps, contract.removeFactors, async (_input, context) =>
    renewed(context, await removeFactors(deps, context.site, changerOf(context)), null),
  )
  serve(app, deps, contract.renewRecoveryCodes, async (_input, context) => {
    const { token, recoveryCodes } = await renewRecoveryCodes(deps, context.site, changerOf(context))
    return renewed(context, token, { recoveryCodes })
  })
  serve(app, deps, contract.forgetTrusted, (_input, { site, caller }) => forgetTrusted(deps, site, caller))
}
