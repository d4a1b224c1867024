import * as contract from '@hufu/contract/merchant-wechat'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeMenu, loadMenu, loadTemplates, sendMessage, showToken } from './merchant-wechat.service.ts'

export function merchantWechatRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.merchantWechatToken, (_input, { site, caller }) => showToken(deps, site, caller))
  serve(app, deps, contract.loadWechatMenu, (_input, { site }) => loadMenu(deps, site))
  serve(app, deps, contract.changeWechatMenu, ({ data }, { site, caller }) => changeMenu(deps, site, caller, data))
  serve(app, deps, contract.loadMessageTemplates, (_input, { site }) => loadTemplates(deps, site))
  serve(app, deps, contract.sendWechatMessage, (message, { site, caller }) => sendMessage(deps, site, caller, message))
}
