import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { UnitOfWork } from '../../platform/postgres/unit-of-work.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { parseToken } from '../../shared/sessions/session-cookie.ts'
import { findCaller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { upsertLogin } from './oidc.store.ts'
import { soonByProvider } from './provider-clock.ts'
import { parseSessionUid, type SessionKey, sessionUid } from './session-uid.ts'
import { signInLevel } from './sign-in-level.ts'
import { type OidcSession, readOidcSession } from './token-state.store.ts'
import { knownState } from './token-state.ts'

function payloadOf(key: SessionKey, { authTime, logins, ...begun }: OidcSession): AdapterPayload {
  const uid = sessionUid(key)
  const authorizations = logins.map(({ clientId, sid, grantId, offline }) => [
    clientId,
    { sid, grantId, ...(offline && { persistsLogout: true }) },
  ])
  return {
    kind: 'Session',
    jti: uid,
    uid,
    accountId: key.userId,
    loginTs: authTime,
    ...signInLevel(begun),
    authorizations: Object.fromEntries(authorizations),
    iat: authTime,
    exp: soonByProvider(),
  }
}

type Needs = Pick<Deps, 'db' | 'cache' | 'clock' | 'config' | 'live' | 'log'>

/**
 * The provider's session is a view of ours: its cookie is our cookie, and it writes nothing but which clients the
 * session has signed in to.
 */
export class SessionAdapter implements Adapter {
  readonly #deps: Needs
  readonly #site: Site
  readonly #unit: UnitOfWork

  constructor(deps: Needs, site: Site, unit: UnitOfWork) {
    this.#deps = deps
    this.#site = site
    this.#unit = unit
  }

  async #read(key: SessionKey): Promise<AdapterPayload | undefined> {
    const session = await this.#unit.read((db) => readOidcSession(db, this.#site.id, key.userId, key.sessionId))
    return session && payloadOf(key, session)
  }

  /** By the value of our cookie. */
  async find(cookie: string): Promise<AdapterPayload | undefined> {
    const token = parseToken(cookie)
    const caller = token && (await findCaller(this.#deps, this.#site.id, token))
    if (!caller || caller === 'removed') return undefined
    return await this.#read({ userId: caller.userId, sessionId: caller.session.id })
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const key = parseSessionUid(uid)
    if (!key) return undefined
    const known = knownState()
    if (known?.sessionUid !== uid) return await this.#read(key)
    return known.session ? payloadOf(key, known.session) : undefined
  }

  /** After an authorization alone: a page on the way to it has granted nothing yet. */
  async upsert(_id: string, { uid, authorizations = {} }: AdapterPayload): Promise<void> {
    const { oidc, request } = Provider.ctx ?? {}
    const clientId = oidc?.entities.AuthorizationCode?.clientId
    const key = parseSessionUid(uid)
    const { sid, grantId, persistsLogout = false } = (clientId && authorizations[clientId]) || {}
    if (!clientId || !key || !sid || !grantId) return
    const login = { clientId, sid, grantId, offline: persistsLogout }
    const noted = await this.#unit.write((db) => upsertLogin(db, this.#site.id, key.userId, key.sessionId, login))
    if (!noted) throw new errors.SessionNotFound('the session has ended')
    if (!noted.first) return
    const detail = { client: oidc.client?.clientName, origin: originOf(oidc.params?.redirect_uri) }
    const event = { event: 'authorize', userId: key.userId, address: request?.ip ?? '', detail }
    await this.#unit.write((db) => recordSecurity(db, this.#site.id, event))
  }

  /** The provider gives its session another id when a sign-in resumes. Ours stays: its own code ends it. */
  async destroy(): Promise<void> {}

  async findByUserCode(): Promise<undefined> {
    throw new Error('a session has no user code')
  }

  async consume(): Promise<void> {
    throw new Error('a session is not consumed')
  }

  async revokeByGrantId(): Promise<void> {
    throw new Error('a session has no grant')
  }
}

/** A private-use scheme has no origin. */
function originOf(address: unknown): string {
  const url = new URL(String(address))
  return url.origin === 'null' ? url.protocol : url.origin
}
