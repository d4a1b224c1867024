import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { AppError } from '../app-error.ts'
import { counter } from '../metrics/metrics.ts'

/** How long a call waits for a connection while others are released … */
const longestWait = 300
/** … and while none is: all of them hang on something that this one would hang on too. */
const longestHang = 150

/** A longer queue is refused: its end wouldn't be served in time. */
const mostWaiting = 200

const tick = 25
/** A longer turn of the event loop is a pause of this process or its machine. */
const longestTurn = 4 * tick

type Taken = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (broken?: Error | boolean) => void,
) => void

const refused = counter('hufu_database_refused_total', 'Calls that got no connection to PostgreSQL in time.').of()

function refuse(taken: Taken): void {
  refused.value++
  taken(new AppError('SERVICE_BUSY'), undefined, () => {})
}

interface Waiting {
  since: number
  leave(): void
}

/**
 * A pool with a bounded wait: together with the lock timeout of a statement, a call that meets another client's long
 * query is refused within a second. While all connections hang, the next calls are refused at once. Time passes here
 * only while the process runs. After a pause the answers of PostgreSQL lie there unread, and a real clock would mistake
 * the process's own pause for a hanging database.
 */
export class CallPool extends Pool {
  readonly #line = new Set<Waiting>()
  readonly #ticking: NodeJS.Timeout
  #now = 0
  /** When a connection was last available or released. */
  #lastMove = 0

  constructor(options: PoolConfig) {
    super(options)
    this.on('release', () => {
      this.#lastMove = this.#now
    })
    let last = performance.now()
    this.#ticking = setInterval(() => {
      const at = performance.now()
      this.#now += Math.min(at - last, longestTurn)
      last = at
      this.#dropExpired()
    }, tick)
    this.#ticking.unref()
  }

  override connect(): Promise<PoolClient>
  override connect(taken: Taken): undefined
  override connect(taken?: Taken): Promise<PoolClient> | undefined {
    if (!taken) {
      return new Promise((resolve, reject) =>
        this.connect((error, client) => (client ? resolve(client) : reject(error))),
      )
    }
    const full = this.idleCount <= this.waitingCount && this.totalCount >= this.options.max
    if (!full) {
      this.#lastMove = this.#now
      super.connect(taken)
    } else if (this.#hangs() || this.waitingCount >= mostWaiting) refuse(taken)
    else this.#wait(taken)
    return undefined
  }

  override end(): Promise<void>
  override end(ended: () => void): void
  override end(ended?: () => void): Promise<void> | undefined {
    clearInterval(this.#ticking)
    // A pool that is closing serves no more waiters.
    for (const { leave } of this.#line) leave()
    return ended ? void super.end(ended) : super.end()
  }

  #hangs(): boolean {
    return this.#now - this.#lastMove > longestHang
  }

  #wait(taken: Taken): void {
    const waiting = {
      since: this.#now,
      leave: () => {
        this.#line.delete(waiting)
        refuse(taken)
      },
    }
    this.#line.add(waiting)
    super.connect((error, client, release) => {
      // Its turn came too late: the connection goes to the next. A pool that was closed has nothing to release.
      if (!this.#line.delete(waiting)) return client && release()
      taken(error, client, release)
    })
  }

  /** The first in the queue have waited longest. */
  #dropExpired(): void {
    const longest = this.#hangs() ? longestHang : longestWait
    for (const { since, leave } of this.#line) {
      if (this.#now - since < longest) break
      leave()
    }
  }
}
