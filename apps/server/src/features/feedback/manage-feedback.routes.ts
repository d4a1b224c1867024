import * as contract from '@hufu/contract/manage-feedback'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { listManaged, moveManaged, readManaged } from './manage-feedback.service.ts'

export function manageFeedbackRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listManagedFeedback, (input, { site, caller }) => listManaged(deps, site, caller, input))
  serve(app, deps, contract.readManagedFeedback, ({ id }, { site }) => readManaged(deps, site, id.toLowerCase()))
  serve(app, deps, contract.replyManagedFeedback, ({ id, message }, { site, caller: machine, change }) =>
    moveManaged(deps, site, { machine, id: id.toLowerCase(), change, message }),
  )
  serve(app, deps, contract.closeManagedFeedback, ({ id }, { site, caller: machine, change }) =>
    moveManaged(deps, site, { machine, id: id.toLowerCase(), change }),
  )
}
