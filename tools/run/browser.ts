import { existsSync } from 'node:fs'

const plain = '/usr/bin/chromium'
/** Headless Chromium: the same pages for 60 % of the CPU time. */
const headless = '/usr/bin/chromium-headless-shell'

/** The browser of stories and attacks. */
export const chromiumPath = existsSync(headless) ? headless : plain
