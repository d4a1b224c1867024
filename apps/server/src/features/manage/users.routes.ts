import * as contract from '@hufu/contract/manage-users'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { revokeSession, revokeSessions, setManagedStatus } from './user-change.service.ts'
import { findManaged, listManaged, listSessionsOf, readManagedUser } from './users.service.ts'

/** Ids are compared as they are stored. */
const idOf = ({ id }: { id: string }) => id.toLowerCase() as UserId

export function manageUserRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listManagedUsers, (input, { site, caller }) => listManaged(deps, site, caller, input))
  serve(app, deps, contract.findManagedUser, (input, { site, caller }) => findManaged(deps, site, caller, input))
  serve(app, deps, contract.readManagedUser, (input, { site, caller }) =>
    readManagedUser(deps, site, caller, idOf(input)),
  )
  serve(app, deps, contract.listManagedSessions, (input, { site, caller }) =>
    listSessionsOf(deps, site, caller, { ...input, id: idOf(input) }),
  )
  serve(app, deps, contract.disableManagedUser, (input, { site, caller: machine, change }) =>
    setManagedStatus(deps, site, { machine, id: idOf(input), change }, 'disabled'),
  )
  serve(app, deps, contract.enableManagedUser, (input, { site, caller: machine, change }) =>
    setManagedStatus(deps, site, { machine, id: idOf(input), change }, 'active'),
  )
  serve(app, deps, contract.revokeManagedSession, (input, { site, caller: machine, change }) =>
    revokeSession(deps, site, { machine, id: idOf(input), change }, input.session.toLowerCase() as SessionId),
  )
  serve(app, deps, contract.revokeManagedSessions, (input, { site, caller: machine, change }) =>
    revokeSessions(deps, site, { machine, id: idOf(input), change }),
  )
}
