import type { Log } from './log.ts'

/** What a supervisor grants before it kills. */
const longestStop = 9_500

/**
 * Ends the process in order when it is told to, once. `patient` where a supervisor asks: others may still send calls here;
 * whoever stops it by hand sends none. Whatever hangs, the process is gone in time: a job or a call that was broken off is done
 * again by others, one that nobody ends keeps the next version from starting.
 */
export function stopOnSignal(log: Log, stop: (patient: boolean) => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      log.info({ signal }, 'stopping')
      setTimeout(() => {
        log.warn('stopped in the middle of something')
        log.flush()
        process.exit(0)
      }, longestStop).unref()
      void stop(signal === 'SIGTERM').finally(() => process.exit(0))
    })
  }
}
