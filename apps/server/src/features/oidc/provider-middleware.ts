import type { EventEmitter } from 'node:events'
import { oidcPaths } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import { isDatabaseUnavailable } from '../../platform/postgres/db.ts'
import { isRedisUnavailable } from '../../platform/redis/client.ts'
import { recordFailure } from '../../shared/audit/security-log.ts'
import { noteClient, touchClient } from '../../shared/oidc/authorized-clients.store.ts'
import { pollSeconds } from './device/device-limits.ts'
import { leadToLogout, signedOut } from './logout.service.ts'
import { deleteUnusedCode } from './oidc.store.ts'
import type { ProviderContext } from './provider.ts'
import { readAnswerMode } from './request-object.ts'

/** How long clients may keep metadata and keys; a key is published for longer before it signs. */
const cachedSeconds = 300

type Next = () => Promise<void>
type Ctx = KoaContextWithOIDC

/** Runs around every request of a site's provider. */
export function aroundRequest(provider: Provider, context: ProviderContext, cookie: string): void {
  const { deps } = context
  // An answer that could not be written; without a listener the library writes it to the console.
  const emitter: EventEmitter = provider
  emitter.on('error', (error: Error) => deps.log.warn({ err: error }, 'an OpenID Connect answer was cut off'))
  provider.on('server_error', (ctx, error) => noteFailure(context, ctx, error))
  provider.on('grant.error', (ctx, error) => noteRefusal(context, ctx, error))
  provider.on('introspection.error', (ctx, error) => noteRefusal(context, ctx, error))
  provider.on('revocation.error', (ctx, error) => noteRefusal(context, ctx, error))

  provider.use(async (ctx: Ctx, next: Next) => {
    try {
      await next()
    } catch (error) {
      noteFailure(context, ctx, error as Error)
      ctx.status = 500
      ctx.body = { error: 'server_error' }
    }
    if (ctx.status === 500 && isAway(failures.get(ctx))) answerAway(ctx)
    // Without a session the provider asks nothing, and there is nothing to confirm.
    if (ctx.path === oidcPaths.logout && ctx.status === 200) await leadToLogout(context, ctx)
    keepOwnCookies(ctx, cookie)
    if (signedOut.has(ctx)) ctx.append('set-cookie', [...(context.facts.get(ctx.req)?.signedOut ?? [])])
    if (ctx.path === oidcPaths.deviceAuthorization && ctx.status === 200) completeDevice(context, ctx)
    if (ctx.path === oidcPaths.jwks || ctx.path.startsWith('/.well-known/'))
      ctx.set('cache-control', `public, max-age=${cachedSeconds}`)
  })
  provider.use(async (ctx: Ctx, next: Next) => {
    if (ctx.path === oidcPaths.authorize) readAnswerMode(ctx)
    await next()
  })
  // What is spent and what is issued for it are one transaction: a crash between them costs a client nothing.
  provider.use(async (ctx: Ctx, next: Next) => {
    if (ctx.path !== oidcPaths.token) return await next()
    const answered = async () => {
      await next()
      if (ctx.status === 200) await noteUse(context, ctx)
      if (ctx.status === 400) await spendCode(context, ctx)
    }
    await context.unit.together(answered, () => ctx.status < 500)
    const signedIn = ctx.status === 200 && codeOf(ctx)
    if (signedIn) deps.usage.countAuthorized(context.site.id, signedIn.accountId as UserId)
  })
}

/** The page that the QR code leads to is ours, like the one where the code is typed. */
function completeDevice({ site }: ProviderContext, { body }: Ctx): void {
  const { user_code: code } = body as { user_code: string }
  const complete = site.origin + pages.deviceApprove.replace(':code', code)
  Object.assign(body as object, { verification_uri_complete: complete, interval: pollSeconds })
}

/** A code that its client gives with another request's verifier or address was injected: it isn't worth a second try. */
async function spendCode({ site, unit }: ProviderContext, { oidc }: Ctx): Promise<void> {
  const { code } = oidc.params ?? {}
  const { client } = oidc
  if (client && typeof code === 'string') await unit.write((db) => deleteUnusedCode(db, site.id, client.clientId, code))
}

const failures = new WeakMap<Ctx, unknown>()

/** A store doesn't answer, or a call got no connection in time. */
const isAway = (error: unknown) =>
  isDatabaseUnavailable(error) || isRedisUnavailable(error) || (error instanceof AppError && error.status === 503)

function noteFailure({ deps, facts }: ProviderContext, ctx: Ctx, error: Error): void {
  failures.set(ctx, error)
  if (!isAway(error)) deps.log.error({ err: error, id: facts.get(ctx.req)?.id }, 'an OpenID Connect request failed')
}

function answerAway(ctx: Ctx): void {
  ctx.status = 503
  ctx.set('retry-after', '1')
  ctx.body = { error: 'temporarily_unavailable', error_description: 'try again in a moment' }
}

/** A guess at a client's secret is in the security log. */
function noteRefusal({ deps, site, facts }: ProviderContext, ctx: Ctx, error: Error): void {
  if (!(error instanceof errors.InvalidClientAuth)) return
  const address = facts.get(ctx.req)?.address ?? ''
  void recordFailure(deps.db, site.id, { event: 'client.refused', address }).catch((cause) =>
    deps.log.warn({ err: cause }, 'a refusal could not be recorded'),
  )
}

/** The provider may set no cookie but the one that a sign-in resumes by. */
function keepOwnCookies(ctx: Ctx, session: string): void {
  const set = [ctx.response.get('set-cookie') as string | string[]].flat()
  const kept = set.filter((each) => each && !each.startsWith(`${session}=`) && !each.startsWith('hufu-interaction='))
  if (kept.length > 0) ctx.set('set-cookie', kept)
  else ctx.remove('set-cookie')
}

/** What a sign-in was exchanged for tokens by. */
const codeOf = ({ oidc: { entities } }: Ctx) => entities.AuthorizationCode ?? entities.DeviceCode

/** A code tells the client who the user is; a refresh uses that. */
async function noteUse(context: ProviderContext, ctx: Ctx): Promise<void> {
  const code = codeOf(ctx)
  const [used, note] = code ? [code, noteClient] : [ctx.oidc.entities.RefreshToken, touchClient]
  if (!used?.clientId || (!code && !isDue(context, used))) return
  const { clientId, accountId } = used
  await context.unit.write((db) => note(db, context.site.id, accountId as UserId, clientId))
}

const touched = new Map<string, number>()
const touchEvery = 3_600_000

/** The time of the last use is written hourly: within the hour a process asks the database nothing. */
function isDue(
  { site, deps }: ProviderContext,
  { clientId, accountId }: { clientId?: string | undefined; accountId?: string | undefined },
): boolean {
  const key = `${site.id}:${accountId}:${clientId}`
  const now = deps.clock.now()
  if (now - (touched.get(key) ?? 0) < touchEvery) return false
  if (touched.size >= 100_000) touched.clear()
  touched.set(key, now)
  return true
}
