const hour = 3_600_000
const day = 24 * hour
const offset = 8 * hour

/** The calendar day of a moment in China, counted from 1970. */
export const chinaDay = (time: number): number => Math.floor((time + offset) / day)

/** When a calendar day of China begins. */
export const chinaMidnight = (number: number): number => number * day - offset
