import { sql } from 'kysely'

/**
 * Whether the account of a row `u` of users can be used, as its status. One that is due to be erased counts as erased
 * from that moment on, whether or not the job has run.
 */
export const accountStatus = sql<'active' | 'disabled'>`CASE WHEN EXISTS (SELECT FROM deletion due
  WHERE due.site_id = u.site_id AND due.user_id = u.id AND due.due_at <= clock_timestamp()) THEN 'disabled' ELSE u.status END`
