import * as contract from '@hufu/contract/login'
import type { Deps } from '../../core/deps.ts'
import type { OfferedOf } from '../../core/offered.ts'
import { allowedSource, defaultSource } from '../../core/source.ts'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import { visitorOf, welcome } from '../../http/visitor.ts'
import { confirmLogin, sendConfirmCode } from './confirm.service.ts'
import { loginByMobile, loginByPassword, logout } from './login.service.ts'

export function loginRoutes(app: App, deps: Deps, offeredOf: OfferedOf): void {
  serve(app, deps, contract.loginByMobile, async (input, context) => {
    const { methods } = offeredOf(context.site)
    return welcome(
      context,
      await loginByMobile(deps, context.site, methods, input, visitorOf(context, input.agreements)),
    )
  })
  serve(app, deps, contract.loginByPassword, async (input, context) => {
    const { methods, regions } = offeredOf(context.site)
    return welcome(
      context,
      await loginByPassword(deps, context.site, methods, regions, input, visitorOf(context, input.agreements)),
    )
  })
  serve(app, deps, contract.confirmLogin, async (input, context) =>
    welcome(context, await confirmLogin(deps, context.site, input, visitorOf(context, input.agreements))),
  )
  serve(app, deps, contract.sendConfirmCode, ({ ticket }, context) =>
    sendConfirmCode(deps, context.site, ticket, visitorOf(context)),
  )
  serve(app, deps, contract.entry, ({ source }, { site }) => allowedSource(site, source) ?? defaultSource)
  serve(app, deps, contract.logout, async (_input, context) => {
    await logout(deps, context.site, context.caller)
    context.signOut()
    return null
  })
}
