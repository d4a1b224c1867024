import * as contract from '@hufu/contract/statistics'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { readHome } from './home.service.ts'
import { shareForAMoment } from './shared-statistics.ts'
import { readCurve, readStatistics } from './statistics.service.ts'

export function statisticsRoutes(app: App, deps: Deps): void {
  const statisticsOf = shareForAMoment(deps, (site) => readStatistics(deps, site))
  const homeOf = shareForAMoment(deps, (site) => readHome(deps, site))
  serve(app, deps, contract.pageVisit, (_input, { site }) => {
    deps.usage.countPage(site.id)
    return null
  })
  serve(app, deps, contract.userStatistics, (_input, { site }) => statisticsOf(site))
  serve(app, deps, contract.userCurve, ({ window, figure }, { site }) => readCurve(deps, site.id, window, figure))
  serve(app, deps, contract.merchantHome, (_input, { site }) => homeOf(site))
}
