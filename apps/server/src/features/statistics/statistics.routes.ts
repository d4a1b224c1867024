import * as contract from '@hufu/contract/statistics'
import type { Deps } from '../../core/deps.ts'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import { readHome } from './home.service.ts'
import { shareStatistics } from './shared-statistics.ts'
import { readCurve } from './statistics.service.ts'

export function statisticsRoutes(app: App, deps: Deps): void {
  const statisticsOf = shareStatistics(deps)
  serve(app, deps, contract.pageVisit, (_input, { site }) => {
    deps.usage.countPage(site.id)
    return null
  })
  serve(app, deps, contract.userStatistics, (_input, { site }) => statisticsOf(site))
  serve(app, deps, contract.userCurve, ({ window, figure }, { site }) => readCurve(deps, site.id, window, figure))
  serve(app, deps, contract.merchantHome, (_input, { site }) => readHome(deps, site))
}
