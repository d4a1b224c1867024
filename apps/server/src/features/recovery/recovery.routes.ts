import * as contract from '@hufu/contract/recovery'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import { visitorOf } from '../../http/visitor.ts'
import type { Deps } from '../../shared/deps.ts'
import { cancelRecovery, stopNoticedRecovery } from './cancel-recovery.service.ts'
import { finishFactorRecovery } from './finish-factor-recovery.service.ts'
import { finishRecovery, sendRecoveryMobileCode } from './finish-recovery.service.ts'
import { openRecovery, proveRecovery, sendRecoveryEmailCode, startRecovery } from './recovery.service.ts'
import { undoByRecovery } from './undo-recovery.service.ts'

export function recoveryRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.openRecovery, (input, context) =>
    openRecovery(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.sendRecoveryEmailCode, (input, context) =>
    sendRecoveryEmailCode(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.proveRecovery, (input, context) =>
    proveRecovery(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.startRecovery, (input, context) =>
    startRecovery(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.sendRecoveryMobileCode, (input, context) =>
    sendRecoveryMobileCode(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.finishRecovery, (input, context) =>
    finishRecovery(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.finishFactorRecovery, ({ ticket }, context) =>
    finishFactorRecovery(deps, context.site, ticket, visitorOf(context)),
  )
  serve(app, deps, contract.undoByRecovery, (input, context) =>
    undoByRecovery(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.cancelRecovery, (_input, { site, caller, address }) =>
    cancelRecovery(deps, site, caller, address),
  )
  serve(app, deps, contract.stopNoticedRecovery, ({ token }, { site, address }) =>
    stopNoticedRecovery(deps, site, token, address),
  )
}
