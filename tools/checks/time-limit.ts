/** `HUFU_STRICT_LIMITS=1`, for a quiet machine: limits of time and memory hold as they are written. */
export const strictLimits = process.env.HUFU_STRICT_LIMITS === '1'

/** Elsewhere five times as much is allowed, so that other work on the machine fails no test. */
export const leeway = strictLimits ? 1 : 5

/** A limit in milliseconds as a test asserts it. */
export const timeLimit = (ms: number): number => leeway * ms
