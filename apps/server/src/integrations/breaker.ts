import { type Outcome, refused, unreachable } from './outcome.ts'

export interface Breaker {
  /** Makes the call, or refuses it at once when the other side is failing or has enough to do. */
  run<Result extends Settled>(key: string, call: () => Promise<Result>): Promise<Result | Refused>
}

/** What a breaker needs to know of any call's outcome. */
interface Settled {
  kind: string
  code?: string | number
}

export type Refused = Extract<Outcome, { kind: 'refused' }>

export interface BreakerOptions {
  /** Milliseconds that never go backwards. */
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

/** A refusal by a gateway that answers is a sign of health; silence, resets and no connection are not. */
const isFailure = (outcome: Settled) =>
  outcome.kind === 'unknown' || (outcome.kind === 'refused' && outcome.code === unreachable)

/** Keeps one slow or broken gateway from holding up the whole process. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { now = () => performance.now(), failures = 5, restMs = 10_000, maxRunning = 50 } = options
  const states = new Map<string, State>()
  const isOpen = (state: State) => state.failures >= failures

  function settle(state: State, trial: boolean, failed: boolean) {
    state.running--
    if (trial) state.trial = false
    // What was begun before the breaker opened decides nothing any more.
    else if (isOpen(state)) return
    state.failures = failed ? state.failures + 1 : 0
    if (isOpen(state)) state.openUntil = now() + restMs
  }

  async function run<Result extends Settled>(key: string, call: () => Promise<Result>): Promise<Result | Refused> {
    const state = states.get(key) ?? { failures: 0, openUntil: 0, running: 0, trial: false }
    const trial = isOpen(state)
    if (trial && (state.trial || now() < state.openUntil)) return refused('BREAKER_OPEN', 'failing, not asked')
    if (state.running >= maxRunning) return refused('BREAKER_FULL', 'too many calls in progress')
    states.set(key, state)
    state.trial = trial
    state.running++
    let failed = true
    try {
      const outcome = await call()
      failed = isFailure(outcome)
      return outcome
    } finally {
      settle(state, trial, failed)
      if (state.failures === 0 && state.running === 0) states.delete(key)
    }
  }
  return { run }
}
