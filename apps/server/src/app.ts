import type { Deps } from './core/deps.ts'
import { loginRoutes } from './features/login/login.routes.ts'
import { profileRoutes } from './features/profile/profile.routes.ts'
import { metaOf } from './features/site/meta.ts'
import { siteRoutes } from './features/site/site.routes.ts'
import { statisticsRoutes } from './features/statistics/statistics.routes.ts'
import { verifyCodeRoutes } from './features/verify-code/verify-code.routes.ts'
import { type App, createApp } from './http/app.ts'
import { serveDocuments } from './http/documents.ts'
import { serveHealth } from './http/health.ts'
import { serveOpenApi } from './http/openapi.ts'

/** The whole product over HTTP, one line a feature. */
export function buildApp(deps: Deps): App {
  const app = createApp(deps)
  serveHealth(app, deps)
  serveOpenApi(app)
  siteRoutes(app, deps)
  statisticsRoutes(app, deps)
  verifyCodeRoutes(app, deps, metaOf)
  loginRoutes(app, deps, metaOf)
  profileRoutes(app, deps)
  serveDocuments(app, deps, metaOf)
  return app
}
