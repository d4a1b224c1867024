import * as contract from '@hufu/contract/devices'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { listDevices, removeDevice, removeOtherDevices } from './devices.service.ts'

export function devicesRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listDevices, (page, { site, caller }) => listDevices(deps, site, caller, page))
  serve(app, deps, contract.removeDevice, async (input, context) => {
    const { site, caller, address } = context
    const id = input.id.toLowerCase() as SessionId
    await removeDevice(deps, site, caller, id, address)
    if (id === caller.session.id) context.signOut()
    return null
  })
  serve(app, deps, contract.removeOtherDevices, (_input, { site, caller, address }) =>
    removeOtherDevices(deps, site, caller, address),
  )
}
