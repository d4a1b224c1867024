import type { DeviceAsked, OidcScope } from '@hufu/contract/oidc'
import { AppError } from '../../../platform/app-error.ts'
import { recordSecurity } from '../../../shared/audit/security-log.ts'
import type { Deps } from '../../../shared/deps.ts'
import { browserOf, knownName } from '../../../shared/sessions/browser.ts'
import { differentIpRegions, ipRegionText } from '../../../shared/sessions/ip-region.ts'
import type { Caller } from '../../../shared/sessions/sessions.ts'
import { type OidcClient, shownClient } from '../../../shared/sites/oidc-clients.ts'
import type { Site } from '../../../shared/sites/sites.ts'
import { findOidcClient } from '../client-metadata.ts'
import { acceptedScopes, describeScope } from '../interaction/consent-answer.ts'
import type { SiteProvider } from '../provider.ts'
import { type OidcSession, readOidcSession } from '../token-state.store.ts'
import { approveDevice } from './device-approval.ts'
import { findWaiting, setDecision, spendUserCode, type WaitingDevice } from './device-code.store.ts'
import { countGuess, deviceSeconds, refundGuess } from './device-limits.ts'
import { askedScopesOf, type DeviceRequest, deviceRequestOf, normalUserCode, shownUserCode } from './device-request.ts'

type Needs = Pick<Deps, 'db' | 'redis'>

export interface Approver {
  caller: Caller
  address: string
  /** The household of an address. */
  bucketOf(address: string): string
}

interface Asking {
  code: string
  device: WaitingDevice
  client: OidcClient
  request: DeviceRequest
}

/** Every code that leads nowhere counts as a guess, whichever call it came by. */
async function findAsking(deps: Needs, site: Site, { caller, address, bucketOf }: Approver, typed: string) {
  const guesser = { siteId: site.id, sessionId: caller.session.id, bucket: bucketOf(address) }
  const retryAfter = await countGuess(deps, guesser)
  if (retryAfter > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter })
  const code = normalUserCode(typed)
  const device = await findWaiting(deps.db, site.id, code, deviceSeconds)
  const client = device && findOidcClient(site, device.clientId)
  if (!device || !client?.device) throw new AppError('DEVICE_CODE_WRONG')
  await refundGuess(deps, guesser)
  return { code, device, client, request: deviceRequestOf(device.payload) } satisfies Asking
}

/** A third-party client's are asked for each time: another program may use its name. */
const scopesToAsk = ({ client, request }: Asking): OidcScope[] =>
  client.firstParty === true ? [] : askedScopesOf(request)

function networkOf(ip: string, { address, bucketOf }: Approver): DeviceAsked['network'] {
  if (bucketOf(ip) === bucketOf(address)) return 'same'
  return differentIpRegions(ip, address) ? 'elsewhere' : null
}

/** A client with a server asks from there, which says nothing about the device. */
function deviceOf({ client, request: { address: ip, userAgent } }: Asking, approver: Approver) {
  if (client.kind !== 'native') return { browser: null, os: null, ip: null, region: null, network: null }
  const { browser, os } = browserOf(userAgent)
  const names = { browser: knownName(browser), os: knownName(os) }
  return { ...names, ip, region: ipRegionText(ip) ?? null, network: networkOf(ip, approver) }
}

function detailOf(asking: Asking, approver: Approver) {
  const { network: _, ...known } = deviceOf(asking, approver)
  const entries = Object.entries(known).filter(([, value]) => value !== null)
  return { client: asking.client.name, ...Object.fromEntries(entries) }
}

/** What a user is asked to approve. Reading it decides nothing. */
export async function readDevice(deps: Needs, site: Site, approver: Approver, typed: string): Promise<DeviceAsked> {
  const asking = await findAsking(deps, site, approver, typed)
  const { code, device, client, request } = asking
  if (device.decidedBy) throw new AppError('LOGIN_REQUEST_DONE')
  return {
    client: shownClient(site, client),
    userCode: shownUserCode(code),
    ...deviceOf(asking, approver),
    time: device.since,
    needsProtection: request.demandsFactor && !approver.caller.user.protected,
    scopes: scopesToAsk(asking).map((name) => describeScope(client, name)),
  }
}

/** The device signs in without a second step, so the approver must have taken it, as for a sign-in by scan. */
function requireFactor({ request }: Asking, { user }: Caller, { factor }: OidcSession): void {
  if (factor) return
  if (user.protected) throw new AppError('TWO_FACTOR_REQUIRED', { factor: true })
  if (request.demandsFactor) throw new AppError('FACTOR_NONE')
}

export interface DeviceAnswer {
  userCode: string
  accept: boolean
  scopes?: OidcScope[] | undefined
}

/** Decides once; a repeated answer of the same user is answered alike, since the first one may have been lost. */
export async function answerDevice(
  deps: Needs,
  site: Site,
  { provider, unit }: SiteProvider,
  approver: Approver,
  { userCode, accept, scopes }: DeviceAnswer,
): Promise<Record<string, never>> {
  const { caller, address } = approver
  const { userId } = caller
  const asking = await findAsking(deps, site, approver, userCode)
  const { code, device, client, request } = asking
  if (device.decidedBy) return repeat(asking, caller, accept)
  const session = await readOidcSession(deps.db, site.id, userId, caller.session.id)
  if (!session) throw new AppError('NOT_LOGGED_IN')
  if (accept) requireFactor(asking, caller, session)
  const asked = scopesToAsk(asking)
  const accepted = accept ? acceptedScopes(client, asked, scopes) : []
  const decide = async () => {
    if (!(await unit.write((db) => spendUserCode(db, site.id, userId, code)))) throw new AppError('LOGIN_REQUEST_DONE')
    if (accept)
      await approveDevice(
        { site, provider, unit },
        { device, client, request, asked, accepted },
        { caller, address, session },
      )
    else
      await unit.write((db) =>
        setDecision(db, site.id, userId, device.hash, {
          payload: { ...device.payload, error: 'access_denied', errorDescription: 'the user declined' },
          grantId: null,
        }),
      )
    const event = accept ? 'device.approved' : 'device.rejected'
    const detail = detailOf(asking, approver)
    await unit.write((db) => recordSecurity(db, site.id, { event, userId, address, detail }))
  }
  await unit.together(decide, () => true)
  return {}
}

function repeat({ device }: Asking, { userId }: Caller, accept: boolean): Record<string, never> {
  if (device.decidedBy !== userId || device.approved !== accept) throw new AppError('LOGIN_REQUEST_DONE')
  return {}
}
