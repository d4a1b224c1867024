/** How a request to sign in by scan stands; it only ever goes forward. */
export const scanStatus = { waiting: -1, scanned: 0, approved: 1, rejected: 2 } as const

/** How long a request lives. */
export const scanSeconds = 120

/** How often the waiting page asks. */
export const scanPollMs = 500

/** How long the answer stays on the approver's screen before it closes. */
export const scanCloseMs = 3_000
