import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { addressBucket } from '../../http/address.ts'
import type { App } from '../../http/app.ts'
import { type Context, serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { askEmailCode, askMobileCode } from './ask-code.ts'

const whoAsks = (context: Context) => ({
  address: context.address,
  bucket: addressBucket(context.address),
  browserHash: context.browserHash(),
})

export function verifyCodeRoutes(app: App, deps: Deps): void {
  serve(app, deps, sendMobileCode, async (input, context) => {
    const signedIn = (await context.whoCalls())?.userId
    return await askMobileCode(deps, context.site, { ...input, ...whoAsks(context), signedIn })
  })
  serve(app, deps, sendEmailCode, (input, context) =>
    askEmailCode(deps, context.site, { ...input, ...whoAsks(context), signedIn: context.caller.userId }),
  )
}
