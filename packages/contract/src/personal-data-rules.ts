/** How long the closing of an account can be revoked. */
export const closingDays = 7
/** How long sign-ins with their address must be retained, by law. */
export const sealedDays = 183
/** The waiting time of a recovery, in hours. */
export const recoveryHours = 72
/** How many archives a user may begin within 24 hours. */
export const exportsADay = 3

/** GET with `id`: the archive, for its own user, after a step-up. */
export const dataFilePath = '/api/user/data/file'
