import { type AdapterPayload, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { isUuid, type SiteId, type UserId } from '../../platform/ids.ts'
import type { UnitOfWork } from '../../platform/postgres/unit-of-work.ts'
import { parseSessionUid } from './session-uid.ts'
import { readTokenState, type TokenState } from './token-state.store.ts'

/** The grant, user and session of the token of a request, as they were when the token was read. */
export interface KnownState extends TokenState {
  grantId: string
  userId: UserId
  sessionUid: string | undefined
}

/** The kinds that count while their grant and user do. */
const judgedKinds = ['AuthorizationCode', 'AccessToken', 'RefreshToken']

const states = new WeakMap<KoaContextWithOIDC, KnownState>()

/** Undefined where the request has shown no token. */
export const knownState = (): KnownState | undefined => Provider.ctx && states.get(Provider.ctx)

/** The provider asks for grant, user and session of a token one after the other; they are read at once, with the token. */
export async function readState(
  unit: UnitOfWork,
  siteId: SiteId,
  kind: string,
  { grantId, accountId, sessionUid }: AdapterPayload,
): Promise<void> {
  const { ctx } = Provider
  if (!ctx || !judgedKinds.includes(kind) || !grantId || !accountId || !isUuid(accountId)) return
  const userId = accountId as UserId
  const session = parseSessionUid(sessionUid)
  // A session of another user decides nothing here.
  const sessionId = session?.userId === userId ? session.sessionId : undefined
  const state = await unit.read((db) => readTokenState(db, siteId, { grantId, userId, sessionId }))
  states.set(ctx, { ...state, grantId, userId, sessionUid })
}
