import { randomInt } from 'node:crypto'
import { AppError } from './app-error.ts'
import type { Log } from './log.ts'

export interface RandomDelay {
  /** Runs it at some moment of the next half second. Neither fails nor waits. */
  runAfterRandomDelay(run: () => Promise<void>): void
  /** Runs at once what still waits, and waits until all is done. */
  flush(): Promise<void>
}

const longest = 500

/**
 * For what is done for some people and not for others, who must look alike: begun with the answer, it would make the answer late;
 * begun right after it, the next one. A moment by chance tells nobody.
 */
export function createRandomDelay(log: Log): RandomDelay {
  const waiting = new Map<NodeJS.Timeout, () => Promise<void>>()
  const running = new Set<Promise<void>>()

  function start(timer: NodeJS.Timeout, run: () => Promise<void>) {
    clearTimeout(timer)
    waiting.delete(timer)
    const done: Promise<void> = run()
      // What was refused is noted where it is refused.
      .catch((error) => {
        if (!(error instanceof AppError)) log.warn({ err: error }, 'what was left for later failed')
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
