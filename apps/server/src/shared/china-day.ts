const hour = 3_600_000
const day = 24 * hour
const offset = 8 * hour

/** Which day of China a moment is in, counted from 1970. */
export const chinaDay = (time: number): number => Math.floor((time + offset) / day)

/** When a day of China begins. */
export const chinaMidnight = (number: number): number => number * day - offset
