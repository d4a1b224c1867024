import {
  sendTwoFactorEmailCode,
  sendTwoFactorMobileCode,
  twoFactorState,
  verifyTwoFactor,
} from '@hufu/contract/two-factor'
import { addressBucket } from '../../http/address.ts'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { readState, sendCheckCode, verify } from './two-factor.service.ts'

const originOf = ({ address }: { address: string }) => ({ address, bucket: addressBucket(address) })

export function twoFactorRoutes(app: App, deps: Deps): void {
  serve(app, deps, twoFactorState, (_input, { site, caller }) => readState(deps, site, caller))
  serve(app, deps, sendTwoFactorMobileCode, (input, context) =>
    sendCheckCode(deps, context.site, context.caller, 'mobile', { ...originOf(context), ...input }),
  )
  serve(app, deps, sendTwoFactorEmailCode, (input, context) =>
    sendCheckCode(deps, context.site, context.caller, 'email', { ...originOf(context), ...input }),
  )
  serve(app, deps, verifyTwoFactor, async (input, context) => {
    context.signIn(await verify(deps, context.site, context.caller, input, originOf(context)))
    return null
  })
}
