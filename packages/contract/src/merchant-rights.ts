/** Permissions in the area MERCHANT: access and read, answer users, change users and settings. */
export const merchantRights = ['READ', 'WRITE', 'ADMIN'] as const
export type MerchantRight = (typeof merchantRights)[number]

/** How operators tell users apart: the first characters of the id. */
export const shortId = (id: string) => id.slice(0, 8).toUpperCase()

/** GET with `id`: the file of an export, for the operator who requested it. */
export const exportFilePath = '/api/merchant/user/export/file'
