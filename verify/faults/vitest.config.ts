import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const cluster = process.env.HUFU_TEST_CLUSTER === '1'

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    name: 'faults',
    include: ['verify/faults/*.test.ts'],
    globalSetup: 'verify/harness/environment.ts',
    fileParallelism: false,
    execArgv: ['--import', join(import.meta.dirname, '../../tools/run/end-with-parent.ts')],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    disableConsoleIntercept: true,
    env: { REDIS_KIND: cluster ? 'cluster' : 'single' },
    reporters: ['default', ['json', { outputFile: process.env.HUFU_REPORT ?? 'reports/vitest-faults.json' }]],
  },
})
