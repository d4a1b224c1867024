import type { UserRow, WantedUsers } from '@hufu/contract/merchant-users'
import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { shownEmail, shownMobile } from '../../shared/users/masked.ts'
import { countSince, countTail, countUsers } from '../users/user-counts.ts'
import { afterAll } from '../users/user-list-index.store.ts'
import { closedCount, findPosition, userListIndexOf } from '../users/user-list-index.ts'
import { countFitting, type Fitting, filtered, type ListedUser, readBackwards, readFitting } from './user-list.store.ts'
import { searchUsers } from './user-search.ts'

type Needs = Pick<Deps, 'db' | 'pool' | 'clock' | 'log'>

/** Rows up to here are skipped one by one, so that the first pages are exact at any moment. */
const exactRows = 10_000
/** A search or filter is counted and paged no further. */
const mostFitting = 1_000

interface Page {
  skip: number
  top: number
}

interface Listed {
  count: number
  more: boolean
  rows: ListedUser[]
}

/** A page whose rows are skipped one by one. */
async function listFirst(deps: Needs, siteId: SiteId, { skip, top }: Page): Promise<Listed> {
  const [rows, count] = await Promise.all([
    readBackwards(deps.pool, siteId, { from: afterAll, pass: skip, top }),
    countUsers(deps, siteId),
  ])
  // A page that isn't full ends the list: that is surer than a count from buckets of some minutes ago.
  const ended = rows.length < top && (rows.length > 0 || skip === 0)
  return { count: ended ? skip + rows.length : count, more: false, rows }
}

/** A page that is found through buckets. It is read while the tail is counted, and again if the count has changed. */
async function listDeep(deps: Needs, siteId: SiteId, { skip, top }: Page): Promise<Listed> {
  const index = await userListIndexOf(deps).of(siteId)
  const { tail: guess } = index
  const read = async (tail: number) => {
    const position = skip < tail ? { from: afterAll, pass: skip } : findPosition(index, skip - tail)
    return position ? await readBackwards(deps.pool, siteId, { ...position, top }) : []
  }
  const [tail, guessed] = await Promise.all([
    countTail(deps, siteId, index),
    guess === undefined ? undefined : read(guess),
  ])
  const rows = guessed && tail === guess ? guessed : await read(tail)
  return { count: closedCount(index) + tail, more: false, rows }
}

/** Any page of all users, newest first. */
const listAll = (deps: Needs, siteId: SiteId, page: Page): Promise<Listed> =>
  page.skip + page.top <= exactRows ? listFirst(deps, siteId, page) : listDeep(deps, siteId, page)

/** A page over several groups of matching users, one after the other. */
async function listFitting(deps: Needs, siteId: SiteId, kinds: Fitting[], { skip, top }: Page): Promise<Listed> {
  const rows: ListedUser[] = []
  let counted = 0
  for (const kind of kinds) {
    const count = await countFitting(deps.db, siteId, kind, mostFitting + 1 - counted)
    const first = Math.max(skip + rows.length - counted, 0)
    const wanted = Math.min(top, mostFitting - skip) - rows.length
    if (first < count && wanted > 0)
      rows.push(...(await readFitting(deps.db, siteId, kind, { skip: first, top: wanted })))
    counted += count
    if (counted > mostFitting) break
  }
  return { count: Math.min(counted, mostFitting), more: counted > mostFitting, rows }
}

const isFilter = ({ only, from, to }: WantedUsers) => only !== undefined || from !== undefined || to !== undefined

/** Which users a search or filter matches; undefined for all. */
export async function fittingOf(
  deps: Pick<Deps, 'db'>,
  site: Site,
  wanted: WantedUsers,
): Promise<Fitting[] | undefined> {
  if (wanted.search) return await searchUsers(deps, site, wanted.search)
  return isFilter(wanted) ? [filtered(site.id, wanted)] : undefined
}

/** The approximate number of matches: a time range is counted in full, everything else up to the end of lists. */
export async function countWanted(deps: Needs, site: Site, wanted: WantedUsers): Promise<number> {
  const { search, only, from, to } = wanted
  if (!search && !only) {
    const since = from === undefined ? await countUsers(deps, site.id) : await countSince(deps, site.id, from)
    return Math.max(since - (to === undefined ? 0 : await countSince(deps, site.id, to)), 0)
  }
  const kinds = (await fittingOf(deps, site, wanted)) ?? []
  return (await listFitting(deps, site.id, kinds, { skip: 0, top: 0 })).count
}

const shown = (site: Site, row: ListedUser): UserRow => ({
  ...row,
  mobile: shownMobile(site, row.mobile),
  email: shownEmail(site, row.email),
})

export async function listUsers(
  deps: Needs,
  site: Site,
  { skip, top, ...wanted }: WantedUsers & Page,
): Promise<{ count: number; more: boolean; data: UserRow[] }> {
  const fitting = await fittingOf(deps, site, wanted)
  const listing = fitting ? listFitting(deps, site.id, fitting, { skip, top }) : listAll(deps, site.id, { skip, top })
  const { count, more, rows } = await listing
  return { count, more, data: rows.map((row) => shown(site, row)) }
}
