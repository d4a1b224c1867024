/** Rules of verification codes that the browser needs too. */
export const codeLength = 6
export const resendSeconds = 60
/** How often a countdown is updated, in milliseconds. */
export const countdownRefresh = 100
export const codeLifeMinutes = 5
