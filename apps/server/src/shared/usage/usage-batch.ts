import type { SiteId, UserId } from '../../platform/ids.ts'

/** What is counted, and the columns that hold it. */
export const counterColumns = {
  pages: 'page_access',
  calls: 'api_access',
  authorizations: 'authorize_access',
  codeSent: 'code_sent',
  codeVerified: 'code_verified',
  codeSignedIn: 'code_signed_in',
  scanShown: 'scan_shown',
  scanScanned: 'scan_scanned',
  scanApproved: 'scan_approved',
} as const
export type Counter = keyof typeof counterColumns

/** How far a sign-in by code or by scan came. */
export type LoginStep = Exclude<Counter, 'pages' | 'calls' | 'authorizations'>

/** Sets of user ids, each counted once, and the columns that hold them. */
export const crowdColumns = { authorized: 'authorized_users', accessed: 'accessed_users' } as const
export type Crowd = keyof typeof crowdColumns

/** One site in one hour. */
export interface Counts {
  counters: Record<Counter, number>
  crowds: Record<Crowd, Set<UserId>>
}

/** What was counted between two flushes. */
export interface Batch {
  number: number
  byHour: Map<number, Map<SiteId, Counts>>
  /** Ids in all sets together. */
  users: number
}

export const newBatch = (number: number): Batch => ({ number, byHour: new Map(), users: 0 })

const noCounters = Object.fromEntries(Object.keys(counterColumns).map((name) => [name, 0])) as Counts['counters']

const hourOf = (time: number) => time - (time % 3_600_000)

/** The counters of a site at this moment. */
export function countsIn({ byHour }: Batch, site: SiteId, time: number): Counts {
  const hour = hourOf(time)
  const sites = byHour.get(hour) ?? new Map<SiteId, Counts>()
  const found = sites.get(site)
  if (found) return found
  const none = { counters: { ...noCounters }, crowds: { authorized: new Set<UserId>(), accessed: new Set<UserId>() } }
  byHour.set(hour, sites.set(site, none))
  return none
}
