import type { Endpoint } from '@hufu/contract/endpoint'
import { endpoints } from '@hufu/contract/endpoints'
import type { Config } from '../core/config.ts'
import type { Log } from '../core/log.ts'

const sample = 100
const tooLate = 500
const tellEvery = 10_000

/** Enough to keep Redis busy, few enough that everybody else waits a few milliseconds at most. */
const mostPolls = 256

const polledPaths = new Set<string>(endpoints.filter((endpoint: Endpoint) => endpoint.polled).map(({ path }) => path))

export const isPoll = (url: string): boolean => polledPaths.has(url)

export interface Shedding {
  begin(): void
  end(): void
  overloaded(): boolean
  /** Takes a place among the polls in progress; false when there is none. */
  beginPoll(): boolean
  endPoll(): void
  /** Whether no call is in progress. */
  idle(): boolean
  close(): void
}

/**
 * Refusing early keeps the rest quick: over a number of calls in progress, or while the event loop runs late,
 * new ones are turned away before any work is done for them.
 */
export function startShedding(config: Pick<Config, 'maxCalls'>, log: Pick<Log, 'warn'>): Shedding {
  let inProgress = 0
  let polls = 0
  let refusedPolls = 0
  let told = 0
  let late = 0
  let expected = performance.now() + sample
  const timer = setInterval(() => {
    late = performance.now() - expected
    expected = performance.now() + sample
    if (refusedPolls > 0 && performance.now() - told > tellEvery) {
      log.warn({ refused: refusedPolls }, 'more polls than can be answered')
      refusedPolls = 0
      told = performance.now()
    }
  }, sample)
  timer.unref()
  return {
    begin: () => void inProgress++,
    end: () => void inProgress--,
    overloaded: () => inProgress > config.maxCalls || late > tooLate,
    beginPoll() {
      if (polls >= mostPolls) {
        refusedPolls++
        return false
      }
      polls++
      return true
    },
    endPoll: () => void polls--,
    idle: () => inProgress === 0,
    close: () => clearInterval(timer),
  }
}
