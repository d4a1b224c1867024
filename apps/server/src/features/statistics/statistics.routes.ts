import { pageVisit } from '@hufu/contract/statistics'
import type { Deps } from '../../core/deps.ts'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'

export function statisticsRoutes(app: App, deps: Deps): void {
  serve(app, deps, pageVisit, (_input, { site }) => {
    deps.usage.countPage(site.id)
    return null
  })
}
