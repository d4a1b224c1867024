import * as contract from '@hufu/contract/manage-users'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { readManagedUser } from './users.service.ts'

/** Ids are compared as they are stored. */
const idOf = ({ id }: { id: string }) => id.toLowerCase() as UserId

export function manageUserRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.readManagedUser, (input, { site, caller }) =>
    readManagedUser(deps, site, caller, idOf(input)),
  )
}
