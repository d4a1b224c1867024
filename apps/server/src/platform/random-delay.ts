import { randomInt } from 'node:crypto'
import { AppError } from './app-error.ts'
import type { Log } from './log.ts'

export interface RandomDelay {
  /** Runs it at a random moment of the next half second. Neither throws nor waits. */
  runAfterRandomDelay(run: () => Promise<void>): void
  /** Runs everything that waits at once, and resolves when all is done. */
  flush(): Promise<void>
}

const longest = 500

/**
 * For work that is done for some users and not for others, who must be indistinguishable by timing: begun with the
 * answer, it would delay the answer; begun right after it, the next one. A random delay hides it.
 */
export function createRandomDelay(log: Log): RandomDelay {
  const waiting = new Map<NodeJS.Timeout, () => Promise<void>>()
  const running = new Set<Promise<void>>()

  function start(timer: NodeJS.Timeout, run: () => Promise<void>) {
    clearTimeout(timer)
    waiting.delete(timer)
    const done: Promise<void> = run()
      // A refusal is logged where it happens.
      .catch((error) => {
        if (!(error instanceof AppError)) log.warn({ err: error }, 'delayed work failed')
      })
      .finally(() => running.delete(done))
    running.add(done)
  }

  return {
    runAfterRandomDelay(run) {
      const timer: NodeJS.Timeout = setTimeout(() => start(timer, run), randomInt(longest))
      waiting.set(timer, run)
    },
    async flush() {
      for (const [timer, run] of waiting) start(timer, run)
      await Promise.all(running)
    },
  }
}
