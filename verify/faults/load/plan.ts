/** One kind of call among the mixed ones. */
export interface Kind {
  name: string
  /** Its part of all calls, against the sum of all weights. */
  weight: number
  /** Whole HTTP/1.1 requests as text; each call takes the next. A `freshKey` in one becomes a new id at every use. */
  requests: string[]
}

export interface Plan {
  urls: string[]
  kinds: Kind[]
  /** Calls a second, all kinds together, whatever the answers are. */
  rate: number
  seconds: number
  /** Open at once at most; a call that finds none free is queued, and its clock runs. */
  connections: number
  /** After so many milliseconds without an answer a call counts as given up. */
  patience: number
}

/** Placeholder for a new id in a request; as long as an id, so that content lengths stay right. */
export const freshKey = 'key-key-key-key-key-key-key-key-key0'

export interface Times {
  count: number
  p50: number
  p99: number
  longest: number
}

export interface KindCounts {
  sent: number
  ok: number
  /** Answers by status, those of 200 too; `broken`, `late` where there was none. */
  answers: Record<string, number>
}

export interface Loaded {
  /** Calls that were due by the clock. */
  offered: number
  seconds: number
  /** Answered well (2xx) within a second, per second. */
  goodput: number
  ok: Times
  /** Answered 503. */
  refused: Times
  /** Neither answered well nor refused. */
  failed: number
  kinds: Record<string, KindCounts>
  /** Good answers in each second since the beginning. */
  bySecond: number[]
  /** Calls refused or failed, by the second in which they were due; those that were never answered aren't among them. */
  missedBySecond: number[]
  /** How far the generator itself fell behind its clock at worst: over some milliseconds its figures mean little. */
  behind: number
}
