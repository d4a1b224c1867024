import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { AppError } from './app-error.ts'
import { counter } from './metrics.ts'

/** How long a call waits for a connection while others come back … */
const longestWait = 300
/** … and while none does: all of them hang on something that this one would hang on too. */
const longestHang = 150

/** Longer is no line: its end wouldn't come to its turn in time. */
const mostWaiting = 200

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

/**
 * A pool that nobody waits long for: with the time that a statement may wait for a lock, a call that meets a long query of
 * somebody else's is refused within a second. While all connections hang, the next calls are refused at once.
 */
export class CallPool extends Pool {
  /** When a connection was last to be had or came back. */
  #lastMove = 0

  constructor(options: PoolConfig) {
    super(options)
    this.on('release', () => {
      this.#lastMove = performance.now()
    })
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
      this.#lastMove = performance.now()
      super.connect(taken)
    } else if (this.#hangs() || this.waitingCount >= mostWaiting) refuse(taken)
    else this.#wait(taken)
    return undefined
  }

  #hangs(): boolean {
    return performance.now() - this.#lastMove > longestHang
  }

  #wait(taken: Taken): void {
    let left = false
    const leave = () => {
      left = true
      refuse(taken)
    }
    let timer = setTimeout(() => {
      if (this.#hangs()) leave()
      else timer = setTimeout(leave, longestWait - longestHang)
    }, longestHang)
    super.connect((error, client, release) => {
      // Its turn came too late: the next one's. A line that was given up altogether has nothing to give back.
      if (left) return client && release()
      clearTimeout(timer)
      taken(error, client, release)
    })
  }
}
