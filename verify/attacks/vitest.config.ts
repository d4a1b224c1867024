import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.ts'

const cluster = process.env.HUFU_TEST_CLUSTER === '1'
const short = process.env.HUFU_SHORT === '1'

/** Where all that was sent is counted; and, as written in the limits of the full form, time and memory are measured. */
const alone = short ? ['verify/attacks/a09-*.test.ts'] : ['verify/attacks/a{09,10,11,34,39}-*.test.ts']
const attack = {
  execArgv: ['--import', join(import.meta.dirname, '../../tools/run/end-with-parent.ts')],
  testTimeout: 240_000,
  hookTimeout: 240_000,
  // A test that measures a duration sets its own timeout; all others only wait.
  expect: { poll: { timeout: 30_000 } },
  disableConsoleIntercept: true,
  env: { REDIS_KIND: cluster ? 'cluster' : 'single' },
}

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    globalSetup: 'verify/harness/environment.ts',
    reporters: ['default', ['json', { outputFile: process.env.HUFU_REPORT ?? 'reports/vitest-attacks.json' }]],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...attack,
          name: 'attacks',
          include: ['verify/attacks/*.test.ts'],
          exclude: alone,
          // Attacks with few calls leave room for others.
          maxWorkers: short ? 3 : 1,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...attack, name: 'attacks-alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
