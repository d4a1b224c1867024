import { defineConfig } from 'vitest/config'

const server = {
  include: ['apps/server/**/*.test.ts'],
  testTimeout: 20_000,
  hookTimeout: 30_000,
}

export default defineConfig({
  test: {
    globalSetup: 'tools/stores/for-tests.ts',
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    projects: [
      { test: { name: 'contract', include: ['packages/contract/src/**/*.test.ts'] } },
      { test: { name: 'web', include: ['apps/web/src/**/*.test.{ts,tsx}'] } },
      { test: { name: 'tools', include: ['tools/**/*.test.ts'], testTimeout: 120_000 } },
      // Everything on the server runs on a single Redis and again on a cluster.
      { test: { ...server, name: 'server', env: { REDIS_KIND: 'single' } } },
      { test: { ...server, name: 'server-cluster', env: { REDIS_KIND: 'cluster' } } },
    ],
  },
})
