import * as contract from '@hufu/contract/login'
import type { Deps } from '../../core/deps.ts'
import type { Site } from '../../core/sites.ts'
import { addressBucket } from '../../http/address.ts'
import type { App } from '../../http/app.ts'
import { type Context, serve } from '../../http/serve.ts'
import { confirmLogin, sendConfirmCode } from './confirm.service.ts'
import { loginByMobile, loginByPassword, logout } from './login.service.ts'
import type { SignedIn, Visitor } from './sign-in.ts'
import { allowedSource, defaultSource } from './source.ts'

/** What a site lets people sign in with. */
export type OfferedOf = (site: Site) => { methods: readonly string[]; regions: Parameters<typeof loginByPassword>[3] }

const visitor = (context: Context, agreements?: string): Visitor => ({
  address: context.address,
  bucket: addressBucket(context.address),
  userAgent: context.userAgent,
  browserHash: context.browserHash(),
  agreements,
})

function welcome(context: Context, { token, created }: SignedIn) {
  context.signIn(token)
  return { id: token.userId, created }
}

export function loginRoutes(app: App, deps: Deps, offeredOf: OfferedOf): void {
  serve(app, deps, contract.loginByMobile, async (input, context) => {
    const { methods } = offeredOf(context.site)
    return welcome(context, await loginByMobile(deps, context.site, methods, input, visitor(context, input.agreements)))
  })
  serve(app, deps, contract.loginByPassword, async (input, context) => {
    const { methods, regions } = offeredOf(context.site)
    return welcome(
      context,
      await loginByPassword(deps, context.site, methods, regions, input, visitor(context, input.agreements)),
    )
  })
  serve(app, deps, contract.confirmLogin, async (input, context) =>
    welcome(context, await confirmLogin(deps, context.site, input, visitor(context, input.agreements))),
  )
  serve(app, deps, contract.sendConfirmCode, ({ ticket }, context) =>
    sendConfirmCode(deps, context.site, ticket, visitor(context)),
  )
  serve(app, deps, contract.entry, ({ source }, { site }) => allowedSource(site, source) ?? defaultSource)
  serve(app, deps, contract.logout, async (_input, context) => {
    await logout(deps, context.site, context.caller)
    context.signOut()
    return null
  })
}
