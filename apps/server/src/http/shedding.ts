import type { Config } from '../core/config.ts'

const sample = 100
const tooLate = 500

export interface Shedding {
  begin(): void
  end(): void
  overloaded(): boolean
  /** Whether no call is in progress. */
  idle(): boolean
  close(): void
}

/**
 * Refusing early keeps the rest quick: over a number of calls in progress, or while the event loop runs late,
 * new ones are turned away before any work is done for them.
 */
export function startShedding(config: Pick<Config, 'maxCalls'>): Shedding {
  let inProgress = 0
  let late = 0
  let expected = performance.now() + sample
  const timer = setInterval(() => {
    late = performance.now() - expected
    expected = performance.now() + sample
  }, sample)
  timer.unref()
  return {
    begin: () => void inProgress++,
    end: () => void inProgress--,
    overloaded: () => inProgress > config.maxCalls || late > tooLate,
    idle: () => inProgress === 0,
    close: () => clearInterval(timer),
  }
}
