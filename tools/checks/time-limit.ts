/**
 * A limit in milliseconds as a test asserts it. `HUFU_STRICT_LIMITS=1`, for a quiet machine, takes it as it is; elsewhere five times
 * as much is allowed, so that other work on the machine fails no test.
 */
export const timeLimit = (ms: number): number => (process.env.HUFU_STRICT_LIMITS === '1' ? ms : 5 * ms)
