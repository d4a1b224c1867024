import { sql } from 'kysely'
import type { Rows, Whose } from './personal-data.store.ts'

const valuesOf = ({ names }: Whose, kind: RegExp): string[] =>
  names.filter((name) => kind.test(name.kind)).map(({ value }) => value)

const wechat = /^wechat\./
const contacts = /^(mobile|email)$/

/** Rows with a column that holds the user's id. */
const by = (column: string): Rows => ({
  keys: ['site_id', column],
  of: ({ siteId, userId }) => sql`site_id = ${siteId} AND ${sql.ref(column)} = ${userId}`,
})

export const ofUser = by('user_id')
export const ofOwner = by('owner_id')
export const ofSubject = by('subject')
export const ofOperator = by('operator_id')

export const themselves: Rows = {
  keys: ['site_id'],
  of: ({ siteId, userId }) => sql`site_id = ${siteId} AND id = ${userId}`,
}

/** By their login names, which are the key. */
export const loginNames: Rows = {
  keys: ['site_id', 'user_id'],
  of: ({ siteId, userId }) => sql`site_id = ${siteId} AND user_id = ${userId}
    AND (kind, value) IN (SELECT kind, value FROM user_identity WHERE site_id = ${siteId} AND user_id = ${userId})`,
}

export const ofContacts: Rows = {
  keys: ['site_id'],
  of: (whose) => sql`site_id = ${whose.siteId} AND receiver = ANY(${valuesOf(whose, contacts)})`,
}

/** Also where the number is theirs and the account was another user's. */
export const ofConfirmation: Rows = {
  keys: ['site_id', 'user_id'],
  of: (whose) => sql`site_id = ${whose.siteId}
    AND (user_id = ${whose.userId} OR mobile = ANY(${valuesOf(whose, /^mobile$/)}))`,
}

/** Also where they came back from WeChat and hadn't signed in yet. */
export const ofWechatTicket: Rows = {
  keys: ['site_id', 'user_id'],
  of: (whose) => sql`site_id = ${whose.siteId} AND (user_id = ${whose.userId}
    OR detail -> 'ids' ->> 'openid' = ANY(${valuesOf(whose, wechat)})
    OR detail -> 'ids' ->> 'unionid' = ANY(${valuesOf(whose, wechat)}))`,
}

const ownFeedback = ({ siteId, userId }: Whose) =>
  sql`SELECT feedback_id FROM feedback_of_user WHERE site_id = ${siteId} AND user_id = ${userId}`

export const ofConversation: Rows = {
  keys: ['site_id'],
  of: (whose) => sql`site_id = ${whose.siteId} AND feedback_id IN (${ownFeedback(whose)})`,
}

/** Also what they uploaded and never sent; one part after the other, as each has an index of its own. */
export const ofPictures: Rows = {
  keys: ['site_id'],
  of: (whose) => sql`site_id = ${whose.siteId} AND id IN (
    SELECT id FROM feedback_picture WHERE site_id = ${whose.siteId} AND feedback_id IN (${ownFeedback(whose)})
    UNION ALL SELECT id FROM feedback_picture
    WHERE site_id = ${whose.siteId} AND author_id = ${whose.userId} AND feedback_id IS NULL)`,
}

export const conversations: Rows = {
  keys: ['site_id', 'user_id'],
  of: (whose) => sql`site_id = ${whose.siteId} AND id IN (${ownFeedback(whose)})`,
}

export const ofOperatorsFile: Rows = {
  keys: ['site_id'],
  of: ({ siteId, userId }) => sql`site_id = ${siteId}
    AND export_id IN (SELECT id FROM user_export WHERE site_id = ${siteId} AND operator_id = ${userId})`,
}

/** Notices that wait for them or were sent within the last day, and their pending jobs. */
export const jobs: Rows = {
  keys: [],
  of: (whose) => sql`data ->> 'siteId' = ${whose.siteId} AND (data ->> 'userId' = ${whose.userId}
    OR lower(data ->> 'to') = ANY(${valuesOf(whose, /^email$/)})
    OR '+' || (data ->> 'prefix') || (data ->> 'mobile') = ANY(${valuesOf(whose, /^mobile$/)}))`,
}
