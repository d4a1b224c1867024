/**
 * Repeats the work until stopped; each run begins so many milliseconds after the end of the one before, so that no two
 * run at once. The work reports its own failures; one that it does not handle ends no repetition. The timer doesn't keep the process alive.
 */
export function repeatEvery(ms: number, work: () => Promise<void>): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const again = () => {
    if (stopped) return
    timer = setTimeout(() => void work().then(again, again), ms)
    timer.unref()
  }
  again()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
