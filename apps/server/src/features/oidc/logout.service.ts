import type { ShownClient } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeSessions } from '../../shared/sessions/change-user.ts'
import { endSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import { shownClient } from '../../shared/sites/oidc-clients.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withAnswer } from '../../shared/sites/traffic-source.ts'
import { findOidcClient } from './client-metadata.ts'
import { deleteLogout, insertLogout, readLogout as readRequest } from './oidc.store.ts'
import type { ProviderContext } from './provider.ts'
import { parseSessionUid, type SessionKey } from './session-uid.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

async function endOwn(deps: Needs, site: Site, { userId, sessionId }: SessionKey): Promise<void> {
  await changeSessions(deps, site.id, userId, async (tx, ended) => {
    await endSession(tx, site.id, userId, sessionId, 'logout')
    ended([sessionId])
  })
}

/** The address was checked against the client's. */
function returnOf({ oidc }: KoaContextWithOIDC): string | undefined {
  const { post_logout_redirect_uri: address, state } = oidc.params ?? {}
  if (typeof address !== 'string') return undefined
  return typeof state === 'string' ? withAnswer(address, { state }) : address
}

/** Whether the hint is an ID token of this very session: a page of another site can't have one. */
function provesSession({ oidc }: KoaContextWithOIDC): boolean {
  const { IdTokenHint: hint } = oidc.entities
  const { client, session } = oidc
  const sid = client && session?.sidFor(client.clientId)
  return sid !== undefined && hint?.payload.sid === sid
}

/** Answers whose browser must forget its session. */
export const signedOut = new WeakSet<KoaContextWithOIDC>()

/** Signs out at once where the client proves that it knows the session; otherwise the user is asked. */
export async function leadToLogout({ deps, site, unit }: ProviderContext, ctx: KoaContextWithOIDC): Promise<void> {
  const key = parseSessionUid(ctx.oidc.session?.uid)
  const location = returnOf(ctx)
  ctx.body = null
  ctx.status = 303
  if (!key) return ctx.redirect(location ?? pages.loggedOut)
  if (provesSession(ctx)) {
    await endOwn(deps, site, key)
    signedOut.add(ctx)
    return ctx.redirect(location ?? pages.loggedOut)
  }
  const request = { sessionId: key.sessionId, clientId: ctx.oidc.client?.clientId, location }
  const id = await unit.write((db) => insertLogout(db, site.id, key.userId, request))
  ctx.redirect(pages.confirmLogout.replace(':id', id))
}

async function requestOf({ db }: Pick<Deps, 'db'>, site: Site, { session }: Caller, id: string) {
  const request = await readRequest(db, site.id, id)
  if (request?.sessionId !== session.id) throw new AppError('AUTHORIZE_EXPIRED')
  return request
}

export async function readLogout(
  deps: Pick<Deps, 'db'>,
  site: Site,
  caller: Caller,
  id: string,
): Promise<{ client: ShownClient | null }> {
  const { clientId } = await requestOf(deps, site, caller, id)
  const client = clientId === undefined ? undefined : findOidcClient(site, clientId)
  return { client: client ? shownClient(site, client) : null }
}

export async function confirmLogout(
  deps: Needs,
  site: Site,
  caller: Caller,
  id: string,
): Promise<{ location: string }> {
  const { location, sessionId } = await requestOf(deps, site, caller, id)
  await endOwn(deps, site, { userId: caller.userId, sessionId })
  await deleteLogout(deps.db, site.id, id)
  return { location: location ?? pages.loggedOut }
}
