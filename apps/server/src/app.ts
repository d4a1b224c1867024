import { accountRoutes } from './features/account/account.routes.ts'
import { agreementsRoutes } from './features/agreements/agreements.routes.ts'
import { authorizeRoutes } from './features/authorize/authorize.routes.ts'
import { closingRoutes } from './features/closing/closing.routes.ts'
import { devicesRoutes } from './features/devices/devices.routes.ts'
import { eventRoutes } from './features/events/events.routes.ts'
import { factorRoutes } from './features/factors/factors.routes.ts'
import { passkeyRoutes } from './features/factors/passkeys.routes.ts'
import { feedbackRoutes } from './features/feedback/feedback.routes.ts'
import { feedbackDeskRoutes } from './features/feedback/feedback-desk.routes.ts'
import { manageFeedbackRoutes } from './features/feedback/manage-feedback.routes.ts'
import { feedbackPictureRoutes } from './features/feedback/pictures.routes.ts'
import { loginRoutes } from './features/login/login.routes.ts'
import { manageUserRoutes } from './features/manage/users.routes.ts'
import { merchantUserRoutes } from './features/merchant-users/merchant-user.routes.ts'
import { merchantUsersRoutes } from './features/merchant-users/merchant-users.routes.ts'
import { userExportRoutes } from './features/merchant-users/user-export.routes.ts'
import { authorizationRoutes } from './features/oidc/authorizations.routes.ts'
import { oidcRoutes } from './features/oidc/oidc.routes.ts'
import { operatorsRoutes } from './features/operators/operators.routes.ts'
import { dataExportRoutes } from './features/personal-data/data-export.routes.ts'
import { avatarRoutes } from './features/profile/avatar.routes.ts'
import { profileRoutes } from './features/profile/profile.routes.ts'
import { recoveryRoutes } from './features/recovery/recovery.routes.ts'
import { scanLoginRoutes } from './features/scan-login/scan-login.routes.ts'
import { securityRoutes } from './features/security/security.routes.ts'
import { merchantConfigRoutes } from './features/site/merchant-config.routes.ts'
import { metaOf } from './features/site/meta.ts'
import { siteRoutes } from './features/site/site.routes.ts'
import { sitePictureRoutes } from './features/site/site-pictures.routes.ts'
import { statisticsRoutes } from './features/statistics/statistics.routes.ts'
import { twoFactorRoutes } from './features/two-factor/two-factor.routes.ts'
import { undoRoutes } from './features/undo/undo.routes.ts'
import { verifyCodeRoutes } from './features/verify-code/verify-code.routes.ts'
import { merchantWechatRoutes } from './features/wechat/merchant-wechat.routes.ts'
import { wechatRoutes } from './features/wechat/wechat.routes.ts'
import { type App, createApp } from './http/app.ts'
import { serveDocuments } from './http/documents.ts'
import { serveEvents } from './http/events.ts'
import { serveHealth } from './http/health.ts'
import { serveOpenApi } from './http/openapi/serve-openapi.ts'
import type { Deps } from './shared/deps.ts'
import { version } from './version.ts'

/** The whole product over HTTP, one line a feature. */
export function buildApp(deps: Deps): App {
  const app = createApp(deps)
  serveHealth(app, deps)
  serveOpenApi(app, version)
  siteRoutes(app, deps)
  merchantConfigRoutes(app, deps)
  sitePictureRoutes(app, deps)
  statisticsRoutes(app, deps)
  verifyCodeRoutes(app, deps)
  loginRoutes(app, deps)
  factorRoutes(app, deps)
  passkeyRoutes(app, deps)
  recoveryRoutes(app, deps)
  scanLoginRoutes(app, deps)
  authorizeRoutes(app, deps)
  oidcRoutes(app, deps)
  authorizationRoutes(app, deps)
  profileRoutes(app, deps)
  avatarRoutes(app, deps)
  devicesRoutes(app, deps)
  securityRoutes(app, deps)
  twoFactorRoutes(app, deps)
  undoRoutes(app, deps)
  accountRoutes(app, deps)
  dataExportRoutes(app, deps)
  closingRoutes(app, deps)
  agreementsRoutes(app, deps)
  wechatRoutes(app, deps)
  feedbackRoutes(app, deps)
  feedbackDeskRoutes(app, deps)
  feedbackPictureRoutes(app, deps)
  merchantWechatRoutes(app, deps)
  merchantUsersRoutes(app, deps)
  userExportRoutes(app, deps)
  merchantUserRoutes(app, deps)
  operatorsRoutes(app, deps)
  manageUserRoutes(app, deps)
  manageFeedbackRoutes(app, deps)
  eventRoutes(app, deps)
  serveEvents(app, deps)
  serveDocuments(app, deps, metaOf)
  return app
}
