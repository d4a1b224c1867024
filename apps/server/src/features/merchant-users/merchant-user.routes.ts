import * as contract from '@hufu/contract/merchant-users'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { listDevicesOf, listSecurityOf, readUserDetails, revealField } from './user.service.ts'
import { cancelRecoveryOf, releaseMobile, signOut } from './user-change.service.ts'
import { resetOperatorFactors } from './user-factors.service.ts'
import { changeUserStatus, setRights } from './user-rights.service.ts'

/** Ids are compared as they are stored. */
const of = <Input extends { id: string }>(input: Input) => ({ ...input, id: input.id.toLowerCase() as UserId })

export function merchantUserRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.readUser, (input, { site, caller }) => readUserDetails(deps, site, caller, of(input).id))
  serve(app, deps, contract.revealUser, (input, { site, caller }) => revealField(deps, site, caller, of(input)))
  serve(app, deps, contract.userDevices, (input, { site, caller }) => listDevicesOf(deps, site, caller, of(input)))
  serve(app, deps, contract.userSecurityLog, (input, { site, caller }) => listSecurityOf(deps, site, caller, of(input)))
  serve(app, deps, contract.setUserStatus, (input, { site, caller }) => changeUserStatus(deps, site, caller, of(input)))
  serve(app, deps, contract.signOutUser, (input, { site, caller }) => signOut(deps, site, caller, of(input).id))
  serve(app, deps, contract.releaseMobile, (input, { site, caller }) => releaseMobile(deps, site, caller, of(input)))
  serve(app, deps, contract.cancelUserRecovery, (input, { site, caller }) =>
    cancelRecoveryOf(deps, site, caller, of(input)),
  )
  serve(app, deps, contract.resetOperatorFactors, (input, { site, caller }) =>
    resetOperatorFactors(deps, site, caller, of(input)),
  )
  serve(app, deps, contract.setUserRights, (input, { site, caller }) => setRights(deps, site, caller, of(input)))
}
