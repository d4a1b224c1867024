import * as contract from '@hufu/contract/undo'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import { visitorOf } from '../../http/visitor.ts'
import type { Deps } from '../../shared/deps.ts'
import { applyUndo, readUndoable, sendUndoCode } from './undo.service.ts'

export function undoRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.readUndo, ({ token }, { site }) => readUndoable(deps, site, token))
  serve(app, deps, contract.sendUndoCode, (input, context) =>
    sendUndoCode(deps, context.site, input, visitorOf(context)),
  )
  serve(app, deps, contract.applyUndo, (input, context) => applyUndo(deps, context.site, input, visitorOf(context)))
}
