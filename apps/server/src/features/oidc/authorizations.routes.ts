import { listManagedAuthorizations } from '@hufu/contract/manage-users'
import * as contract from '@hufu/contract/oidc'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { listAuthorizations, listAuthorizationsOf, revokeAuthorization } from './authorizations.service.ts'

export function authorizationRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listAuthorizations, (_, { site, caller }) => listAuthorizations(deps, site, caller))
  serve(app, deps, listManagedAuthorizations, ({ id }, { site }) =>
    listAuthorizationsOf(deps, site, id.toLowerCase() as UserId),
  )
  serve(app, deps, contract.revokeAuthorization, ({ client }, { site, caller, address }) =>
    revokeAuthorization(deps, site, caller, client, address),
  )
}
