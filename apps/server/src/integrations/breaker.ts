import { counter, histogram } from '../platform/metrics/metrics.ts'
import { type Outcome, refused, unreachable } from './outcome.ts'
import { smsGateways } from './sms/gateways.ts'

export interface Breaker {
  /** Makes the call, or refuses it at once while the other side is failing or has too many calls in progress. */
  run<Result extends Settled>(key: string, call: () => Promise<Result>): Promise<Result | Refused>
  /** The services, each with the number of its hosts whose breaker is open. */
  open(): Map<string, number>
}

/** What a circuit breaker needs to know of a call's outcome. */
interface Settled {
  kind: string
  code?: string | number
}

export type Refused = Extract<Outcome, { kind: 'refused' }>

export interface BreakerOptions {
  /** Monotonic milliseconds. */
  now?: () => number
  /** Failures in a row before calls are refused. */
  failures?: number
  /** How long they are refused before one call may try again. */
  restMs?: number
  /** Calls in progress at once for one key. */
  maxRunning?: number
}

interface State {
  failures: number
  openUntil: number
  running: number
  trial: boolean
}

const outside = counter('hufu_outside_calls_total', 'Calls of services outside, by what came of them.')
const outsideTimes = histogram('hufu_outside_call_seconds', 'How long services outside took to answer.')

const services = [...Object.keys(smsGateways).map((kind) => `sms/${kind}`), 'mail', 'wechat', 'webhook']

// So that the first failure is visible to `increase()`.
for (const service of services)
  for (const outcome of ['refused', 'unknown', 'not asked']) outside.of({ service, outcome })

/** A key holds a host besides its service, and there are many. */
const serviceOf = (key: string): string =>
  key.startsWith('sms/') ? key.split('/', 2).join('/') : (key.split('/', 1)[0] ?? '')

/** A refusal by a gateway that answers is a sign of health; silence, resets and no connection are not. */
const isFailure = (outcome: Settled) =>
  outcome.kind === 'unknown' || (outcome.kind === 'refused' && outcome.code === unreachable)

function notAsked(service: string, code: string, message: string): Refused {
  outside.add({ service, outcome: 'not asked' })
  return refused(code, message)
}

/** Keeps one slow or broken gateway from blocking the whole process. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { now = () => performance.now(), failures = 5, restMs = 10_000, maxRunning = 50 } = options
  const states = new Map<string, State>()
  const isOpen = (state: State) => state.failures >= failures

  function settle(state: State, trial: boolean, failed: boolean) {
    state.running--
    if (trial) state.trial = false
    // Calls begun before the breaker opened no longer change its state.
    else if (isOpen(state)) return
    state.failures = failed ? state.failures + 1 : 0
    if (isOpen(state)) state.openUntil = now() + restMs
  }

  async function run<Result extends Settled>(key: string, call: () => Promise<Result>): Promise<Result | Refused> {
    const state = states.get(key) ?? { failures: 0, openUntil: 0, running: 0, trial: false }
    const trial = isOpen(state)
    const service = serviceOf(key)
    if (trial && (state.trial || now() < state.openUntil))
      return notAsked(service, 'BREAKER_OPEN', 'failing, not asked')
    if (state.running >= maxRunning) return notAsked(service, 'BREAKER_FULL', 'too many calls in progress')
    states.set(key, state)
    state.trial = trial
    state.running++
    const started = performance.now()
    let failed = true
    let kind = 'failed'
    try {
      const outcome = await call()
      failed = isFailure(outcome)
      kind = outcome.kind
      return outcome
    } finally {
      outside.add({ service, outcome: kind })
      outsideTimes.of({ service }).observe((performance.now() - started) / 1_000)
      settle(state, trial, failed)
      if (state.failures === 0 && state.running === 0) states.delete(key)
    }
  }
  function open(): Map<string, number> {
    const open = new Map(services.map((service) => [service, 0]))
    for (const [key, state] of states) {
      const service = serviceOf(key)
      open.set(service, (open.get(service) ?? 0) + Number(isOpen(state)))
    }
    return open
  }
  return { run, open }
}
