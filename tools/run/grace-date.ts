const hour = 3_600_000

/** The day in China that is 30 days ahead, for HUFU_OPERATOR_FACTOR_GRACE. */
export const graceDate = (): string => new Date(Date.now() + (30 * 24 + 8) * hour).toISOString().slice(0, 10)
