/** The status of a scan request; it only ever goes forward. */
export const scanStatus = { waiting: -1, scanned: 0, approved: 1, rejected: 2 } as const

/** How long a request lives. */
export const scanSeconds = 120

/** How often the waiting page polls. */
export const scanPollMs = 500

/** How long the outcome stays on the approver's screen before it closes. */
export const scanCloseMs = 3_000
