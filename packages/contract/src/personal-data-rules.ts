/** How long an account that is to be erased can still be kept. */
export const closingDays = 7
/** How long who signed in from where must be kept, by law. */
export const sealedDays = 183
/** How long a lost number is waited for, in hours. */
export const recoveryHours = 72
/** How many archives a person may begin within 24 hours. */
export const exportsADay = 3

/** GET with `id`: the archive, to the person it is about, after an identity check. */
export const dataFilePath = '/api/user/data/file'
