import type { Pool, PoolClient } from 'pg'
import type { Host, Route } from './find-primary.ts'

const readOnly = '25006'

/** From here on a silent host is checked. */
const longWait = 2_000
/** Longer than any statement of a call may take: a host that doesn't answer either is gone. */
export const tooLong = 8_000

/** A connection stays with its pool only for as long as it leads to a host that takes writes. */
export function tendConnections(
  pool: Pool,
  find: Route['find'],
  onError: (error: Error) => void,
  longest = tooLong,
): void {
  // One that breaks while idle is replaced at the next use; without a listener the event would end the process.
  pool.on('error', (error) => {
    // The pool attaches the whole client to the error, which is too much for a log line.
    Reflect.deleteProperty(error, 'client')
    onError(error)
  })
  // While in use the pool has no listener on it; the failing query reports the error.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('connect', leaveWhenReadOnly)
  leaveLostHosts(pool, find, longest)
}

/** A node that was made a standby keeps answering reads. */
function leaveWhenReadOnly(client: PoolClient): void {
  client.connection.on('errorMessage', ({ code }: { code?: string }) => {
    if (code === readOnly) client.end().catch(() => {})
  })
}

/**
 * A machine that vanished closes no connection, and its callers would wait for a quarter of an hour. Connections to it
 * are dropped once another host takes writes, or when none does for longer than a statement may take.
 */
function leaveLostHosts(pool: Pool, find: Route['find'], longest: number): void {
  const open = new Set<PoolClient>()
  const busy = new Map<PoolClient, number>()
  pool.on('connect', (client) => void open.add(client))
  pool.on('acquire', (client) => void busy.set(client, performance.now()))
  pool.on('release', (_error, client) => void busy.delete(client))
  pool.on('remove', (client) => {
    open.delete(client)
    busy.delete(client)
  })
  const timer = setInterval(async () => {
    if (pool.ending) return clearInterval(timer)
    const waited = performance.now() - Math.min(...busy.values())
    if (!(waited > longWait)) return
    const home = await find().catch(() => undefined)
    if (!home && waited < longest) return
    for (const client of open) if (!isAt(client, home)) client.connection.stream.destroy()
  }, 1_000)
  timer.unref()
}

const isAt = (client: PoolClient, home: Host | undefined): boolean =>
  client.host === home?.host && client.port === home.port
