import * as contract from '@hufu/contract/login'
import { wechatLogin } from '@hufu/contract/wechat'
import type { App } from '../../http/app.ts'
import { type Context, serve } from '../../http/serve.ts'
import { visitorOf, welcome } from '../../http/visitor.ts'
import type { Deps } from '../../shared/deps.ts'
import { allowedSource, defaultSource } from '../../shared/sites/traffic-source.ts'
import { confirmLogin, sendConfirmCode } from './confirm.service.ts'
import { loginByMobile, loginByPassword, logout } from './login.service.ts'

/** A browser that was sent to WeChat in the last minutes isn't sent again: no redirect loop. */
const triedMark = 'hufu-wechat'
const triedSeconds = 600

const isWeChat = (userAgent: string) => /micromessenger/i.test(userAgent)

/** Inside WeChat the app itself can identify the user. A signed-in browser needs no redirect. */
async function wayIn(context: Context, source: string): Promise<string> {
  if (await context.whoCalls()) return source
  context.setCookie(triedMark, '1', triedSeconds)
  return `${wechatLogin.path}?source=${encodeURIComponent(source)}`
}

export function loginRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.loginByMobile, async (input, context) =>
    welcome(deps, context, await loginByMobile(deps, context.site, input, visitorOf(context, input.agreements))),
  )
  serve(app, deps, contract.loginByPassword, async (input, context) =>
    welcome(deps, context, await loginByPassword(deps, context.site, input, visitorOf(context, input.agreements))),
  )
  serve(app, deps, contract.confirmLogin, async (input, context) =>
    welcome(deps, context, await confirmLogin(deps, context.site, input, visitorOf(context, input.agreements))),
  )
  serve(app, deps, contract.sendConfirmCode, (asked, context) =>
    sendConfirmCode(deps, context.site, asked, visitorOf(context)),
  )
  serve(app, deps, contract.entry, ({ source }, context) => {
    const checked = allowedSource(context.site, source) ?? defaultSource
    const { methods, wechatEnabled } = context.site.login
    const silent = wechatEnabled && methods.includes('wechat') && isWeChat(context.userAgent)
    return silent && context.cookie(triedMark) === undefined ? wayIn(context, checked) : checked
  })
  serve(app, deps, contract.logout, async (_input, context) => {
    await logout(deps, context.site, context.caller)
    context.signOut()
    return null
  })
}
