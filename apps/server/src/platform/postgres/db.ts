import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool } from 'pg'
import type { Config } from '../config/config.ts'
import { longestWait } from '../config/wait-limits.ts'
import { CallPool } from './bounded-pool.ts'
import { routeTo } from './find-primary.ts'
import { tendConnections, tooLong } from './stale-connections.ts'
import type { Tables } from './tables.ts'

/** A connection or a transaction: stores take either. It knows no tables: statements are raw `sql` and name their rows. */
export type Db = Kysely<unknown> | Transaction<unknown>

/** Columns of a table, all of them where none is named, as a query returns them. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table] = keyof Tables[Table]> = Pick<
  Tables[Table],
  Column
>

export interface DatabaseAccess {
  db: Kysely<unknown>
  pool: Pool
}

/**
 * Bounded waits: a full pool and a slow statement both end in an error that becomes 服务繁忙. A user waits behind a call,
 * so it gives up on a lock and on the connection queue within a second; other work has longer.
 */
export function connectDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePool' | 'loadShedding'>,
  onError: (error: Error) => void,
  behind: 'calls' | 'work' = 'work',
): DatabaseAccess {
  const { connection, find } = routeTo(config.databaseUrl)
  const pool = new (behind === 'calls' && config.loadShedding ? CallPool : Pool)({
    ...connection,
    max: config.databasePool,
    connectionTimeoutMillis: longestWait(config, 1_000),
    idleTimeoutMillis: 30_000,
    statement_timeout: longestWait(config, 5_000),
    ...(behind === 'calls' && { lock_timeout: longestWait(config, 400) }),
    idle_in_transaction_session_timeout: longestWait(config, 10_000),
    application_name: 'hufu',
    keepAlive: true,
  })
  tendConnections(pool, find, onError, longestWait(config, tooLong))
  return { db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }), pool }
}

/**
 * For work that holds a connection for minutes, which the product's own pool would take for one to a lost host. It fails
 * where the host does, and is begun again by its operator.
 */
export function connectForLong({ databaseUrl }: Pick<Config, 'databaseUrl'>): Kysely<unknown> {
  const pool = new Pool({
    ...routeTo(databaseUrl).connection,
    max: 2,
    connectionTimeoutMillis: 30_000,
    statement_timeout: 300_000,
    application_name: 'hufu users',
    keepAlive: true,
  })
  // The query in progress reports it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
}

const outageClasses = ['08', '53', '57', '58']
/** A lock timeout, and a node that has become a standby. */
const outageCodes = ['55P03', '25006']

/** The store couldn't serve, as opposed to refusing the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  // Everything that ends the connection, also one that has only begun: a full disk has several ways to say so.
  if ('severity' in error && (error.severity === 'FATAL' || error.severity === 'PANIC')) return true
  return (
    /^E[A-Z]+$/.test(code) ||
    outageClasses.includes(code.slice(0, 2)) ||
    outageCodes.includes(code) ||
    /timeout exceeded when trying to connect|Connection terminated|not queryable|Cannot use a pool|No host of the database/.test(
      error.message,
    )
  )
}
