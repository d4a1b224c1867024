import { avatarPath } from '@hufu/contract/avatar-rules'
import { pages } from '@hufu/contract/pages'
import { AppError } from '../../core/app-error.ts'
import type { Client } from '../../core/client-gate.ts'
import type { Deps } from '../../core/deps.ts'
import { newSecret, sha256 } from '../../core/hash.ts'
import type { UserId } from '../../core/ids.ts'
import { recordSecurity } from '../../core/security-log.ts'
import { readUser } from '../../core/sessions.store.ts'
import type { Site } from '../../core/sites.ts'
import { allowedSource, withAnswer } from '../../core/source.ts'
import { bindRequest, insertRequest, insertTicket, isRequestAlive, noteClient, spendTicket } from './authorize.store.ts'

type Needs = Pick<Deps, 'db'>

export interface Asked {
  source: string
  state?: string | undefined
}

/** Keeps where to return to under an id that whoever holds it may use once. */
export async function createAuthorization({ db }: Needs, site: Site, { source, state }: Asked): Promise<string> {
  const allowed = allowedSource(site, source)
  if (allowed === undefined) throw new AppError('AUTHORIZE_SOURCE')
  const id = newSecret()
  await insertRequest(db, site.id, sha256(id), { source: allowed, state: state ?? null })
  return id
}

/** Nobody is signed in yet: first to the sign-in page, which leads back here. */
export async function leadToLogin({ db }: Needs, site: Site, id: string): Promise<string> {
  if (!(await isRequestAlive(db, site.id, sha256(id)))) throw new AppError('AUTHORIZE_EXPIRED')
  const here = pages.loginAuthorize.replace(':id', id)
  return `${pages.login}/${encodeURIComponent(here)}`
}

/** Back to the other site with a ticket for who is signed in. A source that is refused by now doesn't use up the id. */
export async function bindAuthorization(
  { db }: Needs,
  site: Site,
  id: string,
  { userId, address }: { userId: UserId; address: string },
): Promise<string> {
  return await db.transaction().execute(async (tx) => {
    const request = await bindRequest(tx, site.id, sha256(id))
    if (!request) throw new AppError('AUTHORIZE_EXPIRED')
    const source = allowedSource(site, request.source)
    if (source === undefined) throw new AppError('AUTHORIZE_SOURCE')
    const ticket = newSecret()
    const { origin } = new URL(source, site.origin)
    await insertTicket(tx, site.id, sha256(ticket), { userId, origin })
    const client = site.config.clients?.find(({ sources }) => sources.includes(origin))?.name
    await recordSecurity(tx, site.id, { event: 'authorize', userId, address, detail: { client, origin } })
    return withAnswer(source, { authorize: ticket, ...(request.state !== null && { state: request.state }) })
  })
}

export interface Profile {
  id: string
  nickname: string | null
  avatar: string | null
}

/** Tells a client who came back to one of its own addresses. */
export async function exchangeTicket(
  { db, usage }: Pick<Deps, 'db' | 'usage'>,
  site: Site,
  client: Client,
  ticket: string,
): Promise<Profile> {
  const user = await db.transaction().execute(async (tx) => {
    const userId = await spendTicket(tx, site.id, sha256(ticket), client.sources)
    const owner = userId && (await readUser(tx, site.id, userId))
    if (owner?.status === 'active') await noteClient(tx, site.id, owner.id, client.id)
    return owner
  })
  if (user?.status !== 'active') throw new AppError('AUTHORIZE_TICKET')
  usage.countAuthorized(site.id, user.id)
  const { id, nickname, wechatNickname, avatarTime } = user
  const avatar = avatarTime === null ? null : site.origin + avatarPath(id, avatarTime)
  return { id, nickname: nickname ?? wechatNickname, avatar }
}
