import type { TestProject } from 'vitest/node'
import { startSimulators } from '../simulators/start-simulators.ts'
import { startStores } from './stores.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    redisUrl: string
    redisClusterUrl: string
    inboxUrl: string
    aliyunUrl: string
    tencentUrl: string
    wechatUrl: string
    smtpPort: number
  }
}

/** One PostgreSQL, one Redis, one Redis Cluster and one set of simulators for a whole run of Vitest. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [stores, simulators] = await Promise.all([startStores({ cluster: true }), startSimulators({ limits: false })])
  project.provide('postgresUrl', stores.postgres.url)
  project.provide('redisUrl', stores.redis.url)
  project.provide('redisClusterUrl', stores.cluster?.url ?? '')
  project.provide('inboxUrl', simulators.inbox)
  project.provide('aliyunUrl', simulators.aliyunUrl)
  project.provide('tencentUrl', simulators.tencentUrl)
  project.provide('wechatUrl', simulators.wechatUrl)
  project.provide('smtpPort', simulators.smtpPort)
  return async () => {
    await Promise.all([stores.stop(), simulators.stop()])
  }
}
