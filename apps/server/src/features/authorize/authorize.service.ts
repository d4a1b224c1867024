import { avatarPath } from '@hufu/contract/avatar-rules'
import { pages } from '@hufu/contract/pages'
import { AppError } from '../../platform/app-error.ts'
import { newSecret, sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { noteClient } from '../../shared/oidc/authorized-clients.store.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { isThirdParty } from '../../shared/sites/oidc-clients.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { allowedSource, ownerOf, withAnswer } from '../../shared/sites/traffic-source.ts'
import {
  bindRequest,
  insertRequest,
  insertTicket,
  isRequestAlive,
  type SpentTicket,
  spendTicket,
} from './authorize.store.ts'

type Needs = Pick<Deps, 'db'>

export interface Asked {
  source: string
  state?: string | undefined
  code_challenge?: string | undefined
  code_challenge_method?: 'S256' | undefined
}

/** An address that a client lists whole needs PKCE; one of an origin may do without. A third party asks for consent. */
function requireChallenge(site: Site, source: string, challenge: string | null): void {
  const owner = ownerOf(site, source)
  if (owner && isThirdParty(owner.client)) throw new AppError('AUTHORIZE_SOURCE')
  if (challenge === null && owner?.exact) throw new AppError('AUTHORIZE_PKCE')
}

/** Stores the return address under an id that its holder may use once. */
export async function createAuthorization({ db }: Needs, site: Site, asked: Asked): Promise<string> {
  const allowed = allowedSource(site, asked.source)
  if (allowed === undefined) throw new AppError('AUTHORIZE_SOURCE')
  const { state = null, code_challenge: challenge = null, code_challenge_method: method } = asked
  // A challenge without its method would be the verifier itself (plain).
  if ((challenge === null) !== (method === undefined)) throw new AppError('AUTHORIZE_PKCE')
  requireChallenge(site, allowed, challenge)
  const id = newSecret()
  await insertRequest(db, site.id, sha256(id), { source: allowed, state, challenge })
  return id
}

/** Without a session: first to the sign-in page, which leads back here. */
export async function leadToLogin({ db }: Needs, site: Site, id: string): Promise<string> {
  if (!(await isRequestAlive(db, site.id, sha256(id)))) throw new AppError('AUTHORIZE_EXPIRED')
  const here = pages.loginAuthorize.replace(':id', id)
  return `${pages.login}/${encodeURIComponent(here)}`
}

/** Back to the client with a ticket for the signed-in user. A source that is refused by now doesn't use up the id. */
export async function bindAuthorization(
  { db }: Needs,
  site: Site,
  id: string,
  { caller, address }: { caller: Caller; address: string },
): Promise<string> {
  const { userId, session } = caller
  return await db.transaction().execute(async (tx) => {
    const request = await bindRequest(tx, site.id, sha256(id))
    if (!request) throw new AppError('AUTHORIZE_EXPIRED')
    const source = allowedSource(site, request.source)
    if (source === undefined) throw new AppError('AUTHORIZE_SOURCE')
    const { state, challenge } = request
    requireChallenge(site, source, challenge)
    const ticket = newSecret()
    const { origin } = new URL(source, site.origin)
    const owner = ownerOf(site, source)
    const bound = { userId, sessionId: session.id, origin, address: owner?.exact ? source : null, state, challenge }
    await insertTicket(tx, site.id, sha256(ticket), bound)
    const detail = { client: owner?.client.name, origin }
    await recordSecurity(tx, site.id, { event: 'authorize', userId, address, detail })
    return withAnswer(source, { authorize: ticket, ...(state !== null && { state }) })
  })
}

export interface Profile {
  id: string
  nickname: string | null
  avatar: string | null
}

export interface Shown {
  ticket: string
  code_verifier?: string | undefined
  state?: string | undefined
}

const sameText = (one: string, other: string) => sameBytes(sha256(one), sha256(other))

/**
 * Whether the ticket comes from the browser that began the request: by the verifier, and by the state where the client
 * sends it.
 */
function isOfAsker({ challenge, state }: SpentTicket, { code_verifier: verifier, state: shown }: Shown): boolean {
  if (shown !== undefined && !sameText(shown, state ?? '')) return false
  // A verifier without a challenge: the challenge was stripped from the request (downgrade).
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  return sameText(sha256(verifier).toString('base64url'), challenge)
}

/**
 * Identifies the returning user to a client, for its own addresses. A ticket of its own is used up, whatever is wrong
 * with it.
 */
export async function exchangeTicket(
  { db, usage }: Pick<Deps, 'db' | 'usage'>,
  site: Site,
  client: Client,
  shown: Shown,
): Promise<Profile> {
  if (isThirdParty(client)) throw new AppError('AUTHORIZE_TICKET')
  const user = await db.transaction().execute(async (tx) => {
    const spent = await spendTicket(tx, site.id, sha256(shown.ticket), client)
    if (!spent?.live || !isOfAsker(spent, shown)) return undefined
    const owner = await readUser(tx, site.id, spent.userId)
    if (owner?.status === 'active') await noteClient(tx, site.id, owner.id, client.id)
    return owner
  })
  if (user?.status !== 'active') throw new AppError('AUTHORIZE_TICKET')
  usage.countAuthorized(site.id, user.id)
  const { id, nickname, wechatNickname, avatarTime } = user
  const avatar = avatarTime === null ? null : site.origin + avatarPath(id, avatarTime)
  return { id, nickname: nickname ?? wechatNickname, avatar }
}
