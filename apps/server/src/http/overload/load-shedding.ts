import type { Endpoint } from '@hufu/contract/endpoint'
import { endpoints } from '@hufu/contract/endpoints'
import type { Config } from '../../platform/config/config.ts'
import { mostAtOnce } from '../../platform/config/wait-limits.ts'
import type { Log } from '../../platform/log.ts'
import { counter, gauge } from '../../platform/metrics/metrics.ts'

const sample = 50
/** Milliseconds: with an event loop this late, new calls wait for others longer than for their own work. */
const tooLate = 20
/** So many samples in a row: a burst isn't an overload. */
const lasting = 3
/** With fewer calls in progress, they are not the cause of the delay. */
const many = 128
/** So many may always be in progress: fewer wouldn't keep the stores busy. */
const fewest = 128
const logEvery = 10_000

/** Enough to keep Redis busy, few enough that other calls wait a few milliseconds at most. */
const mostPolls = 256

const polledPaths = new Set<string>(endpoints.filter((endpoint: Endpoint) => endpoint.polled).map(({ path }) => path))

export const isPoll = (url: string): boolean => polledPaths.has(url)

const refusedTotal = counter('hufu_refused_total', 'Calls and polls refused because of overload.')
const refusedCalls = refusedTotal.of({ kind: 'call' })
const refusedPolls = refusedTotal.of({ kind: 'poll' })
const callsNow = gauge('hufu_calls_in_progress', 'Calls in progress.')
const pollsNow = gauge('hufu_polls_in_progress', 'Polls of pages that wait for a scan in progress.')
const mostCalls = gauge('hufu_calls_limit', 'How many calls may be in progress before new ones are refused.')

export interface Shedding {
  begin(): void
  end(): void
  /** Whether the limit of calls in progress is reached. */
  full(): boolean
  /** Counts a call that was refused. */
  refused(): void
  /** Counts a poll in progress; false when the limit is reached. */
  beginPoll(): boolean
  endPoll(): void
  /** Whether no call is in progress. */
  idle(): boolean
  /**
   * Since when calls may be waiting unread. After a pause of the process its timers run first, so it is the last sample
   * but one.
   */
  unreadSince(): number
  close(): void
}

/**
 * The limit of calls in progress: reduced by a fifth with every sample of a lasting overload, raised by a tenth
 * otherwise. More than the machine can handle only delays every call; refused early, it costs next to nothing.
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

/**
 * Counts calls and polls in progress, and adapts the limit to what the process can handle. Calls that wait for a
 * password hash have their own queue and its limit.
 */
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
    log.warn({ ...refused }, 'overload: calls or polls were refused')
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
