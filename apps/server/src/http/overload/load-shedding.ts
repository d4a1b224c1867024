import type { Endpoint } from '@hufu/contract/endpoint'
import { endpoints } from '@hufu/contract/endpoints'
import type { Config } from '../../platform/config/config.ts'
import { mostAtOnce } from '../../platform/config/wait-limits.ts'
import type { Log } from '../../platform/log.ts'
import { counter, gauge } from '../../platform/metrics/metrics.ts'

const sample = 50
/** So late is an event loop that those who come now wait for others more than for their own work. */
const tooLate = 20
/** For so many samples in a row: a burst isn't an overload. */
const lasting = 3
/** With fewer in progress, whatever is late isn't late because of them. */
const many = 128
/** So many may always be in progress: fewer wouldn't keep the stores busy. */
const fewest = 128
const logEvery = 10_000

/** Enough to keep Redis busy, few enough that everybody else waits a few milliseconds at most. */
const mostPolls = 256

const polledPaths = new Set<string>(endpoints.filter((endpoint: Endpoint) => endpoint.polled).map(({ path }) => path))

export const isPoll = (url: string): boolean => polledPaths.has(url)

const turnedAway = counter('hufu_refused_total', 'Calls and polls refused because the process had no place for them.')
const refusedCalls = turnedAway.of({ kind: 'call' })
const refusedPolls = turnedAway.of({ kind: 'poll' })
const callsNow = gauge('hufu_calls_in_progress', 'Calls in progress.')
const pollsNow = gauge('hufu_polls_in_progress', 'Polls of pages that wait for a scan in progress.')
const mostCalls = gauge('hufu_calls_limit', 'How many calls may be in progress before new ones are refused.')

export interface Shedding {
  begin(): void
  end(): void
  /** Whether there is no place for one more call. */
  full(): boolean
  /** Counts a call that was turned away. */
  refused(): void
  /** Takes a place among the polls in progress; false when there is none. */
  beginPoll(): boolean
  endPoll(): void
  /** Whether no call is in progress. */
  idle(): boolean
  /** Since when calls may lie there unread. After a pause of the process its timers run first, so it is the look before the last. */
  unreadSince(): number
  close(): void
}

/**
 * How many calls may be in progress: a fifth less with every sample of a lasting overload, a tenth more without. What is
 * more than the machine can work on only makes everybody wait; refused early, it costs next to nothing.
 */
export function createLimit(most: number): {
  readonly calls: number
  sampled(overloaded: boolean, calls: number): void
} {
  const least = Math.min(fewest, most)
  let limit = most
  let inARow = 0
  return {
    get calls() {
      return limit
    },
    sampled(overloaded, calls) {
      inARow = overloaded ? inARow + 1 : 0
      if (inARow >= lasting && calls >= Math.min(many, limit / 2)) limit = Math.max(least, Math.min(limit, calls) * 0.8)
      else if (!overloaded) limit = Math.min(most, limit * 1.1)
    },
  }
}

/** Counts calls and polls in progress, and finds out how many the process can take. Calls aside wait in a line with an end of its own. */
export function startShedding(
  config: Pick<Config, 'maxCalls' | 'loadShedding'>,
  log: Pick<Log, 'warn'>,
  aside: () => number,
): Shedding {
  const limit = createLimit(config.maxCalls)
  const refused = { calls: 0, polls: 0 }
  let inProgress = 0
  let polls = 0
  let loggedAt = 0
  let looked = performance.now()
  let lookedBefore = looked

  const working = () => inProgress - aside()

  function logRefusals(now: number) {
    if (refused.calls + refused.polls === 0 || now - loggedAt < logEvery) return
    log.warn({ ...refused }, 'more came than can be answered')
    refused.calls = 0
    refused.polls = 0
    loggedAt = now
  }

  const timer = setInterval(() => {
    const now = performance.now()
    limit.sampled(now - looked - sample > tooLate, working())
    lookedBefore = looked
    looked = now
    callsNow.value = inProgress
    pollsNow.value = polls
    mostCalls.value = Math.round(limit.calls)
    logRefusals(now)
  }, sample)
  timer.unref()
  return {
    begin: () => void inProgress++,
    end: () => void inProgress--,
    full: () => working() >= mostAtOnce(config, limit.calls),
    refused() {
      refused.calls++
      refusedCalls.value++
    },
    beginPoll() {
      if (polls >= mostAtOnce(config, mostPolls)) {
        refused.polls++
        refusedPolls.value++
        return false
      }
      polls++
      return true
    },
    endPoll: () => void polls--,
    idle: () => inProgress === 0 && polls === 0,
    unreadSince: () => lookedBefore,
    close: () => clearInterval(timer),
  }
}
