import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool } from 'pg'
import type { Config } from './config.ts'
import type { Database } from './schema.ts'

/** A connection or a transaction: stores take either. */
export type Db = Kysely<Database> | Transaction<Database>

export interface DatabaseAccess {
  db: Kysely<Database>
  pool: Pool
}

/** Nobody waits long: a full pool and a slow statement both end in an error that becomes 服务繁忙. */
export function connectDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePool'>,
  onError: (error: Error) => void,
): DatabaseAccess {
  const pool = new Pool({
    connectionString: config.databaseUrl,
    max: config.databasePool,
    connectionTimeoutMillis: 1_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'hufu',
    keepAlive: true,
  })
  // A connection that breaks while idle is replaced at the next use; unheard, the event would end the process.
  pool.on('error', onError)
  return { db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }), pool }
}

const classesOfTrouble = ['08', '53', '57', '58']

/** The store couldn't serve, as opposed to refusing what was asked. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^E[A-Z]+$/.test(code) ||
    classesOfTrouble.includes(code.slice(0, 2)) ||
    /timeout exceeded when trying to connect|Connection terminated|Cannot use a pool/.test(error.message)
  )
}
