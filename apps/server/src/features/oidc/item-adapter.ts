import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { Clock } from '../../platform/clock.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { UnitOfWork } from '../../platform/postgres/unit-of-work.ts'
import { credentialMark } from '../../shared/machine/credential.ts'
import { machineKind } from '../../shared/machine/machine-token.store.ts'
import {
  consumeItem,
  deleteGrant,
  deleteItem,
  type FoundItem,
  findItem,
  insertOnce,
  upsertItems,
} from './oidc.store.ts'
import { soonByProvider } from './provider-clock.ts'
import { type Remembered, rememberedOf } from './remembered.ts'
import { knownState, readState } from './token-state.ts'

/** Tokens that one request issues. */
const issuedTogether = ['AccessToken', 'RefreshToken']

/** A refresh token used twice within this time is a client whose processes raced: refused, but the grant stays. */
const raceSeconds = 3

export interface ItemContext {
  siteId: SiteId
  unit: UnitOfWork
  /** Follows the database's. */
  clock: Clock
  /** The mark of the browser that sent the present request. */
  browser(): string | undefined
  /** What the client of the present request has proved itself by. */
  credential(): string
  /** Whether a machine's token is valid by the site's config of now. */
  isMachine(token: string, payload: Record<string, unknown>): boolean
}

/** Of the page before, where a request shows several in turn. */
function rememberedFrom(payload: AdapterPayload, asking: string | undefined, now: number): Remembered {
  const { browser, beganAt, account } = payload as Remembered
  const before = rememberedOf(Provider.ctx?.oidc?.entities.Interaction)
  return {
    browser: browser ?? asking,
    // Compared with the times of sign-ins and consents, which are the database's.
    beganAt: beganAt ?? before.beganAt ?? now,
    account: account ?? before.account,
  }
}

/** Stores what the provider issues. Ids are stored as hashes. */
export class ItemAdapter implements Adapter {
  readonly #kind: string
  readonly #context: ItemContext

  constructor(kind: string, context: ItemContext) {
    this.#kind = kind
    this.#context = context
  }

  async upsert(id: string, { jti: _, ...payload }: AdapterPayload, seconds: number): Promise<void> {
    const { siteId, unit } = this.#context
    if (this.#kind === 'Interaction') this.#prepareInteraction(payload)
    if (this.#kind === machineKind) payload.credential = credentialMark(id, this.#context.credential())
    const item = {
      siteId,
      kind: this.#kind,
      id,
      grantId: this.#kind === 'Grant' ? id : payload.grantId,
      userId: payload.accountId,
      clientId: payload.clientId,
      payload,
      seconds,
    }
    if (this.#kind === 'ReplayDetection') {
      // The provider looks first and stores then; of several at once this statement lets one pass.
      if (!(await unit.write((db) => insertOnce(db, item))))
        throw new errors.InvalidClientAuth('the assertion was used before')
      return
    }
    if (issuedTogether.includes(this.#kind)) await unit.gather(item, upsertItems)
    else await unit.write((db) => upsertItems(db, [item]))
  }

  #prepareInteraction(payload: AdapterPayload): void {
    const { browser, clock } = this.#context
    // Who began the request doesn't matter to who resumes it: the session is read again, from our own cookie.
    delete payload.session
    Object.assign(payload, rememberedFrom(payload, browser(), Math.floor(clock.now() / 1000)))
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await this.#read(id)
    if (!found) return undefined
    if (this.#kind === machineKind && !this.#context.isMachine(id, found.payload)) return undefined
    const { payload: stored, consumed } = found
    const payload: AdapterPayload = { ...stored, jti: id, ...(consumed && { consumed: true }) }
    payload.exp = Math.max(payload.exp ?? 0, soonByProvider())
    const { siteId, unit } = this.#context
    await readState(unit, siteId, this.#kind, payload)
    return this.#needsSession(payload) && !knownState()?.session ? undefined : payload
  }

  /** A code ends with its session, also where the tokens would not; the library looks after the tokens of browsers. */
  #needsSession({ gty, scope }: AdapterPayload): boolean {
    if (this.#kind === 'AuthorizationCode') return true
    return gty?.startsWith('device_code') === true && !scope?.split(' ').includes('offline_access')
  }

  async #read(id: string): Promise<FoundItem | undefined> {
    const { siteId, unit } = this.#context
    const known = this.#kind === 'Grant' ? knownState() : undefined
    if (known?.grantId === id) return known.grant ? { payload: known.grant, consumed: false } : undefined
    const lenient = this.#kind === 'RefreshToken' ? raceSeconds : 0
    return await unit.read((db) => findItem(db, siteId, this.#kind, id, lenient))
  }

  /** The provider reads and consumes in two steps; this statement decides among several at once. */
  async consume(id: string): Promise<void> {
    const { siteId, unit } = this.#context
    if (!(await unit.write((db) => consumeItem(db, siteId, this.#kind, id))))
      throw new errors.InvalidGrant('already used')
  }

  async destroy(id: string): Promise<void> {
    const { siteId, unit } = this.#context
    await unit.write((db) => deleteItem(db, siteId, this.#kind, id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const { siteId, unit } = this.#context
    await unit.write((db) => deleteGrant(db, siteId, grantId))
  }

  async findByUid(): Promise<undefined> {
    throw new Error(`${this.#kind} has no uid`)
  }

  async findByUserCode(): Promise<undefined> {
    throw new Error(`${this.#kind} has no user code`)
  }
}
