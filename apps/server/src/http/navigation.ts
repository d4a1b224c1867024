import type { Navigation } from '@hufu/contract/navigation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../platform/app-error.ts'
import { isDatabaseUnavailable } from '../platform/postgres/db.ts'
import { isRedisUnavailable } from '../platform/redis/client.ts'
import type { Deps } from '../shared/deps.ts'
import { withAnswer } from '../shared/sites/traffic-source.ts'
import type { App } from './app.ts'
import { createCookies } from './cookies.ts'
import { Context, withinLimit } from './serve.ts'

/** Whether one of our own pages sent the browser here. Browsers too old to send Sec-Fetch-Site must send a referrer. */
export function startedHere({ headers, site }: FastifyRequest): boolean {
  const from = headers['sec-fetch-site']
  if (from !== undefined) return from === 'same-origin'
  const referrer = headers.referer ?? ''
  return URL.canParse(referrer) && new URL(referrer).origin === site.origin
}

type Handler<N extends Navigation> = (query: z.output<N['query']>, context: Context) => Promise<string>

/** The only way to add a navigation: it always ends in a redirect, and the page it returns to shows the failure. */
export function serveNavigation<N extends Navigation>(app: App, deps: Deps, navigation: N, handler: Handler<N>): void {
  const cookies = createCookies(deps.config)

  async function lead(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    if (navigation.fromHere && !startedHere(request)) return navigation.home
    const parsed = navigation.query.safeParse(request.query)
    if (!parsed.success) return navigation.home
    await withinLimit(deps, navigation, request)
    const context = new Context({ deps, cookies, request, reply }, undefined)
    return await handler(parsed.data as z.output<N['query']>, context)
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.route = navigation.path
    const address = await lead(request, reply).catch((error) => {
      if (error instanceof AppError) return withOutcome(navigation.home, error.code)
      if (isDatabaseUnavailable(error) || isRedisUnavailable(error)) return withOutcome(navigation.home, 'SERVICE_BUSY')
      throw error
    })
    return reply.header('cache-control', 'no-store').redirect(address, 302)
  }
  app.get(navigation.path, answer)
}

/** One of our pages, with the outcome to show. */
export const withOutcome = (page: string, outcome: string): string => withAnswer(page, { wechat: outcome })
