/** Whether the machine is ours alone, so that times and memory must keep the limits as they are written. */
export const strictLimits = process.env.HUFU_STRICT_LIMITS === '1'

/** Beside other work they may be five times as much. */
export const leeway = strictLimits ? 1 : 5
