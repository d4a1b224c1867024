/** The last 24 hours, 7 days and 30 days. */
export const windows = ['daily', 'weekly', 'monthly'] as const
export type Window = (typeof windows)[number]

export const hoursOf: Record<Window, number> = { daily: 24, weekly: 168, monthly: 720 }

export const figures = ['AuthorizedUsers', 'AccessedUsers', 'PageAccess', 'AuthorizeAccess', 'ApiAccess'] as const
export type FigureName = (typeof figures)[number]
