import { exportUsers, queryUsers, userExports } from '@hufu/contract/merchant-users'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { beginExport, listExports } from './user-export.service.ts'
import { listUsers } from './user-list.service.ts'

export function merchantUsersRoutes(app: App, deps: Deps): void {
  serve(app, deps, queryUsers, (input, { site }) => listUsers(deps, site, input))
  serve(app, deps, exportUsers, (wanted, { site, caller }) => beginExport(deps, site, caller, wanted))
  serve(app, deps, userExports, (_input, { site, caller }) => listExports(deps, site, caller))
}
