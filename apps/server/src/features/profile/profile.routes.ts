import { userInfo } from '@hufu/contract/profile'
import type { Deps } from '../../core/deps.ts'
import type { App } from '../../http/app.ts'
import { steppedUp } from '../../http/guard.ts'
import { serve } from '../../http/serve.ts'

export function profileRoutes(app: App, deps: Deps): void {
  serve(app, deps, userInfo, (_input, { caller }) => ({ ...caller.user, twoFactor: steppedUp(deps, caller) }))
}
