import type { TestProject } from 'vitest/node'
import { startStores } from './stores.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    redisUrl: string
    redisClusterUrl: string
  }
}

/** One PostgreSQL, one Redis and one Redis Cluster for a whole run of Vitest. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stores = await startStores({ cluster: true })
  project.provide('postgresUrl', stores.postgres.url)
  project.provide('redisUrl', stores.redis.url)
  project.provide('redisClusterUrl', stores.cluster?.url ?? '')
  return stores.stop
}
