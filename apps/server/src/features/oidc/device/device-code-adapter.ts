import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { SiteId } from '../../../platform/ids.ts'
import type { UnitOfWork } from '../../../platform/postgres/unit-of-work.ts'
import type { RedisClient } from '../../../platform/redis/client.ts'
import { readUser } from '../../../shared/sessions/sessions.store.ts'
import { consumeItem, deleteGrant, deleteItem } from '../oidc.store.ts'
import { soonByProvider } from '../provider-clock.ts'
import { parseSessionUid } from '../session-uid.ts'
import { readOidcSession } from '../token-state.store.ts'
import { findDevice, insertDevice } from './device-code.store.ts'
import { pollsTooFast } from './device-limits.ts'
import { deviceRequestOf } from './device-request.ts'

/** A device whose timers race asks twice for the same tokens: refused, but what the first got stays. */
const raceSeconds = 3

export interface DeviceContext {
  siteId: SiteId
  unit: UnitOfWork
  redis: RedisClient
}

/** What would ask about the sign-in of a browser that the device doesn't know. Refused rather than ignored. */
const unsupported = ['max_age', 'id_token_hint'] as const

function refuseUnsupported({ params = {} }: AdapterPayload): void {
  if (!deviceRequestOf({ params }).scopes.includes('openid'))
    throw new errors.InvalidScope('openid is missing', 'openid')
  const found = unsupported.find((name) => params[name] !== undefined)
  if (found) throw new errors.InvalidRequest(`${found} is not supported by the device flow`)
}

/** Stores the codes of devices. The library writes one when a device asks; deciding and reading it is our own. */
export class DeviceCodeAdapter implements Adapter {
  readonly #context: DeviceContext

  constructor(context: DeviceContext) {
    this.#context = context
  }

  async upsert(id: string, { jti: _, userCode = '', ...payload }: AdapterPayload, seconds: number): Promise<void> {
    refuseUnsupported(payload)
    const { siteId, unit } = this.#context
    const device = { deviceCode: id, userCode, clientId: payload.clientId ?? '', payload, seconds }
    if (!(await unit.write((db) => insertDevice(db, siteId, device))))
      throw new errors.TemporarilyUnavailable('this user code is taken, ask again')
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { siteId, unit } = this.#context
    const found = await unit.read((db) => findDevice(db, siteId, id, raceSeconds))
    if (!found) return undefined
    if (found.expired) throw new errors.ExpiredToken('the device code has expired')
    const payload: AdapterPayload = { ...found.payload, jti: id, ...(found.consumed && { consumed: true }) }
    payload.exp = Math.max(payload.exp ?? 0, soonByProvider())
    if (payload.error) return payload
    if (payload.accountId) return (await this.#isApproverIn(payload)) ? payload : undefined
    if (await pollsTooFast(this.#context, siteId, id)) throw new errors.SlowDown()
    return payload
  }

  /**
   * An approval ends with its session, also where the tokens would not. One from before the account was protected signs
   * nothing in afterwards.
   */
  async #isApproverIn({ sessionUid }: AdapterPayload): Promise<boolean> {
    const { siteId, unit } = this.#context
    const key = parseSessionUid(sessionUid)
    if (!key) return false
    const session = await unit.read((db) => readOidcSession(db, siteId, key.userId, key.sessionId))
    if (!session || session.factor) return session !== undefined
    return (await unit.read((db) => readUser(db, siteId, key.userId)))?.protected === false
  }

  /** The provider reads and consumes in two steps; this statement decides among several at once. */
  async consume(id: string): Promise<void> {
    const { siteId, unit } = this.#context
    if (!(await unit.write((db) => consumeItem(db, siteId, 'DeviceCode', id))))
      throw new errors.InvalidGrant('already used')
  }

  async destroy(id: string): Promise<void> {
    const { siteId, unit } = this.#context
    await unit.write((db) => deleteItem(db, siteId, 'DeviceCode', id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const { siteId, unit } = this.#context
    await unit.write((db) => deleteGrant(db, siteId, grantId))
  }

  async findByUid(): Promise<undefined> {
    throw new Error('a device has no uid')
  }

  async findByUserCode(): Promise<undefined> {
    throw new Error('user codes are read by our own pages')
  }
}
