import * as contract from '@hufu/contract/oidc'
import { addressBucket } from '../../http/address.ts'
import type { App } from '../../http/app.ts'
import { type OidcRequest, serveOidc } from '../../http/oidc.ts'
import { type Context, serve } from '../../http/serve.ts'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import { hasOidcClients } from '../../shared/sites/oidc-clients.ts'
import { answerDevice, readDevice } from './device/device.service.ts'
import { answerInteraction, readInteraction } from './interaction/interaction.service.ts'
import { confirmLogout, readLogout } from './logout.service.ts'
import { createProviders } from './providers.ts'

export function oidcRoutes(app: App, deps: Deps): void {
  const cookie = serveOidc(app, deps, hasOidcClients, async ({ site, raw, response, ...facts }: OidcRequest) => {
    const { answer, facts: known } = await providerOf(site)
    known.set(raw, facts)
    answer(raw, response)
  })
  const providerOf = createProviders(deps, cookie)

  async function asked(context: Context, id: string) {
    if (!hasOidcClients(context.site)) throw new AppError('AUTHORIZE_EXPIRED')
    const { provider } = await providerOf(context.site)
    return { provider, asking: { id, browser: context.browserHash().toString('base64url') } }
  }

  serve(app, deps, contract.readInteraction, async ({ id }, context) => {
    const { provider, asking } = await asked(context, id)
    return await readInteraction(deps, context.site, provider, asking, await context.whoCalls())
  })
  serve(app, deps, contract.answerInteraction, async ({ id, ...answer }, context) => {
    const { provider, asking } = await asked(context as Context, id)
    return await answerInteraction(deps, context.site, provider, asking, context, answer)
  })
  serve(app, deps, contract.readLogout, ({ id }, { site, caller }) => readLogout(deps, site, caller, id))
  serve(app, deps, contract.confirmLogout, async ({ id }, context) => {
    const answer = await confirmLogout(deps, context.site, context.caller, id)
    context.signOut()
    return answer
  })

  const ofClients = ({ site }: Pick<Context, 'site'>) => {
    if (!hasOidcClients(site)) throw new AppError('DEVICE_CODE_WRONG')
    return site
  }
  serve(app, deps, contract.readDevice, async ({ userCode }, context) => {
    const { caller, address } = context
    return await readDevice(deps, ofClients(context), { caller, address, bucketOf: addressBucket }, userCode)
  })
  serve(app, deps, contract.answerDevice, async (answer, context) => {
    const site = ofClients(context)
    const { caller, address } = context
    const approver = { caller, address, bucketOf: addressBucket }
    return await answerDevice(deps, site, await providerOf(site), approver, answer)
  })
}
