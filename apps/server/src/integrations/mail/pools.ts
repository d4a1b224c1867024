import { createHash } from 'node:crypto'
import type { createTransport } from 'nodemailer'
import type { socketOpener } from './open-socket.ts'

/** A site's SMTP account, its password already unsealed. */
export interface MailConfig {
  host: string
  port?: number | undefined
  user?: string | undefined
  password?: string | undefined
  /** `Name <address>` or an address; the user where it isn't given. */
  from?: string | undefined
  /** TLS from the first byte; the rule on port 465. */
  secure?: boolean | undefined
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

type OpenSocket = ReturnType<typeof socketOpener>

const transportTo = (
  create: typeof createTransport,
  { host, port, user, password, secure = port === 465 }: MailConfig,
  getSocket: OpenSocket,
) =>
  create({
    pool: true,
    getSocket,
    host,
    port: port ?? (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLoopback(host),
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    tls: { minVersion: 'TLSv1.2' },
    // From resolving the name to the greeting.
    connectionTimeout: 3_000,
    socketTimeout: 5_000,
    idleTimeout: 4_000,
    maxConnections: 5,
    // Happens only before a byte of the message was read, as with a pooled connection that the server has dropped.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

interface Pool {
  transport: ReturnType<typeof transportTo>
  sending: number
}

export interface Pools {
  /** Runs a task on the connections for a config, which aren't closed during it. */
  use<Result>(config: MailConfig, task: (transport: Pool['transport']) => Promise<Result>): Promise<Result>
  close(): void
}

const keyOf = ({ host, port, user, password, secure }: MailConfig) =>
  createHash('sha256')
    .update(JSON.stringify([host, port, user, password, secure]))
    .digest('base64')

/** Pools connections by config, for a limited number of configs; least recently used ones are closed first. */
export function createPools(max: number, openSocket: OpenSocket): Pools {
  const pools = new Map<string, Pool>()

  function poolFor(create: typeof createTransport, config: MailConfig): Pool {
    const key = keyOf(config)
    const pool = pools.get(key) ?? { transport: transportTo(create, config, openSocket), sending: 0 }
    // A map keeps its order: the most recently used is last.
    pools.delete(key)
    pools.set(key, pool)
    return pool
  }

  function shrink() {
    for (const [key, { transport, sending }] of pools) {
      if (pools.size <= max) return
      if (sending > 0) continue
      transport.close()
      pools.delete(key)
    }
  }

  async function use<Result>(config: MailConfig, task: (transport: Pool['transport']) => Promise<Result>) {
    // Loaded on demand: many processes never send mail, and it is large.
    const { createTransport } = await import('nodemailer')
    const pool = poolFor(createTransport, config)
    pool.sending++
    shrink()
    try {
      return await task(pool.transport)
    } finally {
      pool.sending--
    }
  }

  function close() {
    for (const { transport } of pools.values()) transport.close()
    pools.clear()
  }
  return { use, close }
}
