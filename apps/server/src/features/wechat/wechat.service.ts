import { pages } from '@hufu/contract/pages'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Visitor } from '../../shared/sessions/begin-session.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { allowedSource, defaultSource } from '../../shared/sites/traffic-source.ts'
import { endTrip, meet, type Trip } from './round-trip.ts'
import { bind, check, refresh } from './wechat-binding.service.ts'
import { loginByWechat } from './wechat-login.service.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'config' | 'clock' | 'log' | 'breaker' | 'usage' | 'deliveryFailures'>

/** Where a browser goes on from WeChat, and the outcome to show there. */
export interface Return {
  page: string
  outcome?: string
  token?: SessionToken | undefined
}

export interface Comer {
  visitor: Visitor
  /** The signed-in user, where that matters. */
  whoCalls(): Promise<Caller | undefined>
}

/** The page that a trip was begun on; a failed sign-in returns there. */
const startOf = ({ kind, source }: Trip): string =>
  kind !== 'silent' && kind !== 'tap'
    ? source
    : source === defaultSource
      ? pages.login
      : `${pages.login}/${encodeURIComponent(source)}`

/** A browser comes back from WeChat, with a code or, where the user refused, without. */
export async function comeBack(
  deps: Needs,
  site: Site,
  { code, state = '' }: { code?: string | undefined; state?: string | undefined },
  comer: Comer,
): Promise<Return> {
  const trip = await endTrip(deps, site, state, comer.visitor.browserHash)
  if (!trip) throw new AppError('WECHAT_EXPIRED')
  // What was allowed when the trip began may not be any more.
  const checked = { ...trip, source: allowedSource(site, trip.source) ?? defaultSource }
  try {
    if (code === undefined) throw new AppError('WECHAT_REFUSED')
    return await finish(deps, site, checked, code, comer)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'FACTOR_REQUIRED') return { page: secondStep(checked, error) }
    // The silent trip was automatic: the page only needs to know that it was tried.
    return { page: startOf(checked), outcome: checked.kind === 'silent' ? 'back' : error.code }
  }
}

/** The ticket is in the fragment, which no server and no referrer learns. */
function secondStep({ source }: Trip, { details }: AppError): string {
  const query = source === defaultSource ? '' : `?source=${encodeURIComponent(source)}`
  return `${pages.secondStep}${query}#${details?.ticket}`
}

type OpenTrip = NonNullable<Awaited<ReturnType<typeof endTrip>>>

async function finish(deps: Needs, site: Site, trip: OpenTrip, code: string, comer: Comer): Promise<Return> {
  const { kind, source } = trip
  if (kind === 'silent' || kind === 'tap') {
    const token = await loginByWechat(deps, site, kind, await meet(deps, site, code), comer.visitor)
    if (token === 'ask') return { page: startOf(trip), outcome: 'choose' }
    return token ? { page: source, token } : { page: startOf(trip), outcome: 'back' }
  }
  const caller = await comer.whoCalls()
  // Begun by one user and finished by another, or in a session that has ended since.
  if (caller?.userId !== trip.userId || caller?.session.id !== trip.sessionId) throw new AppError('WECHAT_EXPIRED')
  const { address, browserHash } = comer.visitor
  const actor = { caller, address, browserHash }
  const met = await meet(deps, site, code)
  if (kind === 'check') return { page: source, token: await check(deps, site, met, actor) }
  const token = kind === 'bind' ? await bind(deps, site, met, actor) : await refresh(deps, site, met, actor)
  // Only the page about WeChat shows success; anywhere else the user was on the way to something.
  return { page: source, ...(source === pages.wechat && { outcome: kind }), ...(token && { token }) }
}
