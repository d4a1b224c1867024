import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

const fuzzing = '**/*.fuzz.test.ts'
const exclude = [...configDefaults.exclude, fuzzing]
const endWithParent = ['--import', join(import.meta.dirname, 'tools/run/end-with-parent.ts')]
/** Far more than any test takes: a machine with other work is slow, not broken. */
const patience = { execArgv: endWithParent, testTimeout: 60_000, hookTimeout: 60_000 }
const server = { ...patience, include: ['apps/server/**/*.test.ts'], exclude }
/** What meets no Redis, or brings its own. */
const withoutRedis = [
  'apps/server/test/{refusals,tls-stores,redis-user}.test.ts',
  'apps/server/src/platform/{postgres/{find-primary,primary-address,migrate},images/image}*.test.ts',
]
/** What every feature goes through. */
const shared = ['apps/server/{test,src/platform,src/shared,src/http}/**/*.test.ts']
const features = ['apps/server/src/features/**/*.test.ts']
/** Files that change nothing outside themselves share a process, which reads the modules once. */
const together = { isolate: false }

export default defineConfig({
  test: {
    globalSetup: 'tools/stores/for-tests.ts',
    // Tests wait for stores and processes, too: one more than there are processors keeps them busy.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    projects: [
      {
        test: { ...patience, ...together, name: 'contract', include: ['packages/contract/src/**/*.test.ts'], exclude },
      },
      {
        test: {
          ...patience,
          name: 'client',
          include: ['packages/client/test/*.test.ts'],
          env: { REDIS_KIND: 'single' },
        },
      },
      { test: { ...patience, name: 'web', include: ['apps/web/src/**/*.test.{ts,tsx}'], exclude } },
      { test: { ...patience, name: 'tools', include: ['tools/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { ...patience, ...together, name: 'fuzz', include: [fuzzing], env: { REDIS_KIND: 'single' } } },
      // A cluster allows less than a single Redis, which stories, attacks and faults meet: only what is shared runs on both.
      {
        test: {
          ...server,
          name: 'server',
          include: shared,
          // Commands of the operator's terminal, a process each: one kind of Redis says enough.
          exclude: [...exclude, 'apps/server/test/cli.test.ts'],
          env: { REDIS_KIND: 'single' },
        },
      },
      {
        test: {
          ...server,
          name: 'server-cluster',
          exclude: [...exclude, ...withoutRedis, ...features],
          env: { REDIS_KIND: 'cluster' },
        },
      },
      { test: { ...server, ...together, name: 'features', include: features, env: { REDIS_KIND: 'cluster' } } },
    ],
  },
})
