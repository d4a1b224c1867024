import { sql } from 'kysely'

/** The time of a row `e` of event, as text: to the microsecond, and the same in every delivery. */
export const eventTime = sql<string>`to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
