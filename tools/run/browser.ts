import { existsSync } from 'node:fs'

const plain = '/usr/bin/chromium'
/** Chromium without all that only a window needs: the same pages for 60 % of the work. */
const headless = '/usr/bin/chromium-headless-shell'

/** The browser of stories and attacks. */
export const chromiumPath = existsSync(headless) ? headless : plain
