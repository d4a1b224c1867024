import { meta } from '@hufu/contract/site'
import type { App } from '../../http/app.ts'
import { Prepared, serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { perSite } from '../../shared/sites/sites.ts'
import { metaOf } from './meta.ts'

const metaAnswer = perSite((site) => new Prepared(metaOf(site)))

export function siteRoutes(app: App, deps: Deps): void {
  serve(app, deps, meta, (_input, { site }) => metaAnswer(site))
}
