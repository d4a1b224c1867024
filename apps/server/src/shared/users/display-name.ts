import { sql } from 'kysely'

/** The nickname of a row `u` of users, for text of SQL: written as in the index `users_by_nickname`. */
export const shownNickname = 'coalesce(u.nickname, u.wechat_nickname)'

/** The name of a row `u` of users; null where they have none. */
export const displayName = sql<string | null>`coalesce(u.nickname, u.wechat_nickname, u.username)`
