import { pages } from '@hufu/contract/pages'
import * as contract from '@hufu/contract/wechat'
import type { App } from '../../http/app.ts'
import { serveNavigation, withOutcome } from '../../http/navigation.ts'
import { type Context, serve } from '../../http/serve.ts'
import { visitorOf, welcome } from '../../http/visitor.ts'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Changer } from '../../shared/sessions/sessions.ts'
import { allowedSource, defaultSource } from '../../shared/sites/traffic-source.ts'
import { comeBack, type Return } from './wechat.service.ts'
import { makeTicket, startTrip, unbind, useTicket } from './wechat-binding.service.ts'
import { createByWechat, readArrival, startLogin } from './wechat-login.service.ts'

const sourceOf = ({ site }: Context, source: string | undefined) => allowedSource(site, source) ?? defaultSource

/** Clients get no outcome: they asked for nothing. */
function leave(context: Context, { page, outcome, token }: Return): string {
  if (token) context.signIn(token)
  return outcome !== undefined && page.startsWith('/') ? withOutcome(page, outcome) : page
}

/** A failure is shown on the page the user wanted: they are signed in, and nothing else stands in the way. */
async function orOutcome(context: Context, page: string, work: Promise<string>): Promise<string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return leave(context, { page, outcome: error.code })
    throw error
  }
}

/** The signed-in user of a navigation, if it carries an unused ticket of theirs. */
async function actorOf(deps: Deps, context: Context, ticket: string | undefined): Promise<Changer | undefined> {
  const caller = ticket === undefined ? undefined : await context.whoCalls()
  if (!caller || ticket === undefined) return undefined
  const actor = { caller, address: context.address, browserHash: context.browserHash() }
  return (await useTicket(deps, context.site, ticket, actor)) ? actor : undefined
}

const trips = [
  [contract.bindWechat, 'bind'],
  [contract.refreshWechat, 'refresh'],
  [contract.checkByWechat, 'check'],
] as const

export function wechatRoutes(app: App, deps: Deps): void {
  serveNavigation(app, deps, contract.wechatLogin, (query, context) => {
    const trip = { kind: query.tap ? 'tap' : 'silent', source: sourceOf(context, query.source) } as const
    return startLogin(deps, context.site, trip, visitorOf(context))
  })
  serveNavigation(app, deps, contract.wechatCallback, async (query, context) => {
    const comer = { visitor: visitorOf(context), whoCalls: () => context.whoCalls() }
    return leave(context, await comeBack(deps, context.site, query, comer))
  })
  serve(app, deps, contract.wechatArrival, (_input, context) => readArrival(deps, context.site, visitorOf(context)))
  serve(app, deps, contract.loginByNewWechat, async ({ agreements }, context) =>
    welcome(deps, context, await createByWechat(deps, context.site, visitorOf(context, agreements))),
  )

  serve(app, deps, contract.wechatTicket, (_input, context) => {
    const { caller, address, site } = context
    return makeTicket(deps, site, { caller, address, browserHash: context.browserHash() })
  })
  for (const [navigation, kind] of trips) {
    serveNavigation(app, deps, navigation, async ({ source, ticket }, context) => {
      const actor = await actorOf(deps, context, ticket)
      if (!actor) return defaultSource
      const page = sourceOf(context, source)
      return await orOutcome(context, page, startTrip(deps, context.site, { kind, source: page }, actor))
    })
  }
  serveNavigation(app, deps, contract.unbindWechat, async ({ ticket }, context) => {
    const actor = await actorOf(deps, context, ticket)
    if (!actor) return defaultSource
    const page = pages.wechat
    const unbound = unbind(deps, context.site, actor)
    return await orOutcome(
      context,
      page,
      unbound.then((token) => leave(context, { page, outcome: 'unbind', token })),
    )
  })
}
