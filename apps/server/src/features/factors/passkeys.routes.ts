import * as contract from '@hufu/contract/factors'
import { twoFactorPasskeyOptions } from '@hufu/contract/two-factor'
import type { App } from '../../http/app.ts'
import { changerOf, renewed } from '../../http/changer.ts'
import { serve } from '../../http/serve.ts'
import { visitorOf, welcome } from '../../http/visitor.ts'
import type { Deps } from '../../shared/deps.ts'
import { loginByPasskey, passkeyLoginOptions } from './passkey-login.service.ts'
import { addPasskey, beginPasskey, removePasskey, renamePasskey, stepUpPasskeyOptions } from './passkeys.service.ts'

export function passkeyRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.passkeyLoginOptions, (_input, context) =>
    passkeyLoginOptions(deps, context.site, context.browserHash()),
  )
  serve(app, deps, contract.loginByPasskey, async ({ passkey, agreements }, context) =>
    welcome(deps, context, await loginByPasskey(deps, context.site, passkey, visitorOf(context, agreements))),
  )
  serve(app, deps, twoFactorPasskeyOptions, (_input, { site, caller }) => stepUpPasskeyOptions(deps, site, caller))
  serve(app, deps, contract.beginPasskey, (input, context) =>
    beginPasskey(deps, context.site, changerOf(context), input),
  )
  serve(app, deps, contract.addPasskey, async (input, context) => {
    const { userAgent } = context
    const { token, ...added } = await addPasskey(deps, context.site, changerOf(context), { ...input, userAgent })
    return renewed(context, token, added)
  })
  serve(app, deps, contract.renamePasskey, (input, { site, caller }) => renamePasskey(deps, site, caller, input))
  serve(app, deps, contract.removePasskey, async ({ id }, context) =>
    renewed(context, await removePasskey(deps, context.site, changerOf(context), id), null),
  )
}
