import * as contract from '@hufu/contract/operators'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { queryLog } from './operators.service.ts'

export function operatorsRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.queryOperatorLog, (input, { site }) => queryLog(deps, site, input))
}
