import { configDefaults, defineConfig } from 'vitest/config'

const fuzzing = '**/*.fuzz.test.ts'
const exclude = [...configDefaults.exclude, fuzzing]
const server = {
  include: ['apps/server/**/*.test.ts'],
  exclude,
  testTimeout: 20_000,
  hookTimeout: 30_000,
}
/** What meets no Redis, or brings its own. */
const withoutRedis = ['apps/server/test/tls-stores.test.ts', 'apps/server/src/core/{primary,migrate,picture}*.test.ts']

export default defineConfig({
  test: {
    globalSetup: 'tools/stores/for-tests.ts',
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    projects: [
      { test: { name: 'contract', include: ['packages/contract/src/**/*.test.ts'], exclude } },
      { test: { name: 'web', include: ['apps/web/src/**/*.test.{ts,tsx}'], exclude } },
      { test: { name: 'tools', include: ['tools/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'fuzz', include: [fuzzing], env: { REDIS_KIND: 'single' } } },
      // What meets Redis runs on a single one and again on a cluster.
      { test: { ...server, name: 'server', env: { REDIS_KIND: 'single' } } },
      {
        test: {
          ...server,
          name: 'server-cluster',
          exclude: [...exclude, ...withoutRedis],
          env: { REDIS_KIND: 'cluster' },
        },
      },
    ],
  },
})
