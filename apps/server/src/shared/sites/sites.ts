import type { SiteConfig } from '@hufu/contract/site'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { gauge, sinceLast } from '../../platform/metrics/metrics.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import { repeatEvery } from '../../platform/repeat-every.ts'
import { type LoginOptions, loginOptionsOf } from './login-options.ts'

/** One site. The object is replaced when anything about it changes, so derived values may be cached by object. */
export interface Site {
  readonly id: SiteId
  readonly origin: string
  readonly status: 'active' | 'disabled'
  readonly version: string
  readonly hosts: readonly string[]
  /** As stored: secrets in it are sealed. */
  readonly config: SiteConfig
  /** Derived from the config. */
  readonly login: LoginOptions
}

export interface Sites {
  /** By the host of a request, in any spelling; undefined for an unknown host. */
  find(host: string): Site | undefined
  get(id: SiteId): Site | undefined
  all(): Site[]
  /** Whether this process has ever read the stored sites. */
  readonly loaded: boolean
  /** Looks for changes now instead of with the next poll. */
  refresh(): Promise<void>
  close(): void
}

/** `ID.Example.com.:8443` and `id.example.com` are the same host; ports don't make sites. */
export function normalizeHost(host: string): string {
  const name = host.toLowerCase().replace(/:\d*$/, '')
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** A little under a second, so that a disabled site is closed within one. */
const lookEvery = 800
/** After this many milliseconds every process works with a change, unless PostgreSQL keeps it waiting. */
export const followedWithin = 2_000

const sitesNow = gauge('hufu_sites', 'Sites that the process knows.')
const looked = sinceLast('hufu_sites_age_seconds', 'How long ago the stored sites were last looked at.')

/**
 * Holds every site in memory and follows changes by polling versions. The last state stays in force while PostgreSQL is
 * unreachable, and a flood of unknown hosts costs a map lookup.
 */
export async function followSites(db: Db, log: Log): Promise<Sites> {
  const byId = new Map<SiteId, Site>()
  let byHost = new Map<string, Site>()
  let loaded = false
  let reachable = true

  async function refresh() {
    const { rows: current } = await sql<Row<'site', 'id' | 'version'>>`SELECT id, version FROM site`.execute(db)
    const changed = current.filter(({ id, version }) => byId.get(id)?.version !== version).map(({ id }) => id)
    const known = new Set(current.map(({ id }) => id))
    const removed = [...byId.keys()].filter((id) => !known.has(id))
    if (changed.length > 0) for (const site of await readSites(db, changed)) byId.set(site.id, site)
    for (const id of removed) byId.delete(id)
    if (changed.length + removed.length > 0) {
      byHost = new Map([...byId.values()].flatMap((site) => site.hosts.map((host) => [host, site] as const)))
    }
    loaded = true
    sitesNow.value = byId.size
    looked.done()
  }

  async function tryRefresh() {
    try {
      await refresh()
      if (!reachable) log.info('sites can be read again')
      reachable = true
    } catch (error) {
      if (reachable) log.warn({ err: error }, 'sites could not be read; the last known ones stay in force')
      reachable = false
    }
  }

  await tryRefresh()
  const polling = repeatEvery(lookEvery, tryRefresh)

  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    find: (host) => byHost.get(host) ?? byHost.get(normalizeHost(host)),
    get loaded() {
      return loaded
    },
    refresh,
    close: polling.stop,
  }
}

/** One site as it is stored now; undefined when there is none. */
export const readSite = async (db: Db, id: SiteId): Promise<Site | undefined> => (await readSites(db, [id]))[0]

async function readSites(db: Db, ids: SiteId[]): Promise<Site[]> {
  const { rows } = await sql<Omit<Site, 'hosts' | 'login'>>`SELECT s.id, s.origin, s.status, s.version, newest.config
    FROM site s CROSS JOIN LATERAL (
      SELECT c.config FROM site_config c WHERE c.site_id = s.id ORDER BY c.version DESC LIMIT 1) newest
    WHERE s.id = ANY (${ids})`.execute(db)
  const { rows: hosts } = await sql<Row<'site_host'>>`
    SELECT host, site_id FROM site_host WHERE site_id = ANY (${ids})`.execute(db)
  const hostsOf = Map.groupBy(hosts, ({ site_id }) => site_id)
  return rows.map((row) => ({
    ...row,
    hosts: (hostsOf.get(row.id) ?? []).map(({ host }) => host),
    login: loginOptionsOf(row.config),
  }))
}

/** A value derived from a site once and cached until the site changes. */
export function perSite<Value>(make: (site: Site) => Value): (site: Site) => Value {
  const made = new WeakMap<Site, Value>()
  return (site) => {
    const found = made.get(site)
    if (found !== undefined) return found
    const value = make(site)
    made.set(site, value)
    return value
  }
}
