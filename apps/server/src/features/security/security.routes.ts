import * as contract from '@hufu/contract/security'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { disownNoticedSignIn, readNoticedSignIn } from './noticed.service.ts'
import { disownSignIn, listOwnSecurity } from './security.service.ts'

export function securityRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listOwnSecurity, (page, { site, caller }) => listOwnSecurity(deps, site, caller, page))
  serve(app, deps, contract.disownSignIn, ({ id }, { site, caller, address }) =>
    disownSignIn(deps, site, caller, id.toLowerCase() as SessionId, address),
  )
  serve(app, deps, contract.readNoticedSignIn, ({ token }, { site }) => readNoticedSignIn(deps, site, token))
  serve(app, deps, contract.disownNoticedSignIn, ({ token }, { site, address }) =>
    disownNoticedSignIn(deps, site, token, address),
  )
}
