import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'

/** Where a server listens. */
export interface Host {
  host: string
  port: number
}

/** Finds the host among the named ones that takes writes. */
export interface Route {
  /** For node-pg's Client and Pool, which know one host: this class of client finds the right one by itself. */
  connection: { connectionString: string; Client: typeof Client }
  /** Asks the hosts; concurrent callers share one search. Throws where none takes writes within a second. */
  find(): Promise<Host>
}

const form = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/

/** `postgres://user@a:5432,b:5432/db?target_session_attrs=read-write`, as libpq writes it: an address for each host. */
function addressesOf(databaseUrl: string): [string, ...string[]] {
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(databaseUrl)?.[1] ?? 'read-write'
  if (wanted !== 'read-write' && wanted !== 'primary')
    throw new Error(`target_session_attrs is ${wanted}; the product writes, so it must be read-write`)
  const [, before = '', hosts = '', after = ''] = form.exec(databaseUrl) ?? []
  const [first = '', ...others] = hosts.split(',')
  const one = (host: string) => before + host + after
  return [one(first), ...others.map(one)]
}

/** As node-pg reads it. */
function hostOf(connectionString: string): Host {
  const { host, port } = new Client({ connectionString })
  return { host, port }
}

/** A connection takes one step of this length, its one query another; then there is time for a second round. */
const step = 250
const between = 50
/** No further round begins after this, so that a caller that waits for a connection gets its error within a second. */
const lastRound = 450

/** Connects to one host, whatever its address says. */
function clientAt(connectionString: string, { host, port }: Host): Client {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: step,
    query_timeout: step,
    application_name: 'hufu looks for the primary',
  })
  // A broken connection is reported by the query that fails.
  client.on('error', () => {})
  return Object.assign(client, { host, port })
}

/** A standby and a read-only node say so. */
async function takesWrites(connectionString: string, at: Host): Promise<Host> {
  const client = clientAt(connectionString, at)
  try {
    await client.connect()
    const { rows } = await client.query("SELECT current_setting('transaction_read_only') = 'off' AS writable")
    if (!rows[0].writable) throw new Error(`${at.host}:${at.port} takes no writes`)
    return at
  } finally {
    client.end().catch(() => {})
  }
}

/** All are asked at once, and the first that takes writes wins: one that hangs delays no caller. */
async function search(connectionString: string, hosts: Host[]): Promise<Host> {
  const begun = performance.now()
  for (;;) {
    try {
      return await Promise.any(hosts.map((at) => takesWrites(connectionString, at)))
    } catch (error) {
      if (performance.now() - begun > lastRound)
        throw new Error('No host of the database takes writes', { cause: error })
    }
    await pause(between)
  }
}

/** A single host is used as it is; of several, each new connection goes to the one that takes writes at that moment. */
export function routeTo(databaseUrl: string): Route {
  const addresses = addressesOf(databaseUrl)
  const [connectionString] = addresses
  const hosts = addresses.map(hostOf)
  let searching: Promise<Host> | undefined
  function find(): Promise<Host> {
    searching ??= search(connectionString, hosts).finally(() => {
      searching = undefined
    })
    // A separate error for each caller: some add properties to theirs.
    return searching.catch((cause) => {
      throw new Error('No host of the database takes writes', { cause })
    })
  }
  return { connection: { connectionString, Client: hosts.length > 1 ? finding(find) : Client }, find }
}

type Connected = (error: Error | null) => void

/** A client that looks for its host before it connects. */
function finding(find: Route['find']): typeof Client {
  return class FindingClient extends Client {
    async #connect(): Promise<Client> {
      Object.assign(this, await find())
      return await super.connect()
    }

    override connect(): Promise<Client>
    override connect(connected: Connected): void
    override connect(connected?: Connected): Promise<Client> | undefined {
      if (!connected) return this.#connect()
      this.#connect().then(() => connected(null), connected)
      return undefined
    }
  }
}

/** A connection of its own, for work that holds one from its beginning to its end. */
export function clientTo(databaseUrl: string, application_name: string): Client {
  const { connectionString, Client: Kind } = routeTo(databaseUrl).connection
  return new Kind({ connectionString, application_name })
}
