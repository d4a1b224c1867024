import type { Config } from './config.ts'

export type LoadShedding = Pick<Config, 'loadShedding'>

/** How long a call waits where load shedding is off. */
const patientMs = 30_000

/** How many milliseconds a call waits for something before it is refused. */
export const longestWait = ({ loadShedding }: LoadShedding, ms: number): number =>
  loadShedding ? ms : Math.max(ms, patientMs)

/** How many calls may be in progress or wait in a queue before the next one is refused. */
export const mostAtOnce = ({ loadShedding }: LoadShedding, count: number): number =>
  loadShedding ? count : Number.POSITIVE_INFINITY
