/** What somebody may do in the area MERCHANT: reach and read it, answer people, change people and settings. */
export const merchantRights = ['READ', 'WRITE', 'ADMIN'] as const
export type MerchantRight = (typeof merchantRights)[number]

/** How an operator tells people apart: the first characters of the id. */
export const shortId = (id: string) => id.slice(0, 8).toUpperCase()

/** GET with `id`: the file of an export, to whoever had it made. */
export const exportFilePath = '/api/merchant/user/export/file'
