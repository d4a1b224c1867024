import type { Log } from './log.ts'

/** What a supervisor grants before it kills. */
const longestStop = 9_500

/**
 * Shuts the process down in order on a signal, once. `patient` where a supervisor asks: proxies may still send calls
 * here; after an interrupt at the terminal none come. Whatever hangs, the process ends in time: an interrupted job or
 * call is retried elsewhere, while a process that never ends would block the next version.
 */
export function stopOnSignal(log: Log, stop: (patient: boolean) => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      log.info({ signal }, 'stopping')
      setTimeout(() => {
        log.warn('stopped with work in progress')
        log.flush()
        process.exit(0)
      }, longestStop).unref()
      void stop(signal === 'SIGTERM').finally(() => process.exit(0))
    })
  }
}
