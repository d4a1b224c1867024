import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createDatabase } from '../../apps/server/test/test-app.ts'
import { type Environment, type Running, ready, runHufu } from '../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { startSimulators } from '../../tools/simulators/start-simulators.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { startStores } from '../../tools/stores/stores.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The environment of every process of the product under attack. */
    environment: Record<string, string>
    apiUrls: string[]
    logFiles: string[]
    logFolder: string
  }
}

export interface Api {
  url: string
  /** Everything it has logged. */
  log: string
  pid: number
  stop(): Promise<void>
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<void>
}

/** For attacks and faults about load, slowness or unavailable stores. */
export const shedding: Environment = { HUFU_LOAD_SHEDDING: '1' }

/** A real API process, its log in a file. */
export async function startApi(environment: Environment, folder: string, onPort?: number): Promise<Api> {
  const port = onPort ?? (await freePort())
  const log = join(folder, `${port}.log`)
  const file = openSync(log, 'a')
  const running = runHufu('serve', { ...environment, HUFU_PORT: String(port) }, [], file)
  closeSync(file)
  const url = `http://127.0.0.1:${port}`
  await ready(url, running)
  return { url, log, pid: running.child.pid ?? 0, stop: running.stop, kill: () => killed(running) }
}

/** Kills a process that we started and waits until it is gone. */
export async function killed({ child }: Running): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

/** Stores, simulators and two API processes for a whole run. HUFU_TEST_CLUSTER=1 puts them on a Redis Cluster. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = process.env.HUFU_TEST_CLUSTER === '1'
  const [stores, simulators] = await Promise.all([
    startStores({ cluster }),
    startSimulators({ limits: false, inboxKeeps: 20_000 }),
  ])
  const environment: Environment = {
    HUFU_DATABASE_URL: await createDatabase(stores.postgres.url),
    HUFU_REDIS_URL: stores.cluster?.url ?? stores.redis.url,
    HUFU_KEYS: `1:${randomBytes(32).toString('base64')}`,
    HUFU_ALIYUN_SMS_URL: simulators.aliyunUrl,
    HUFU_TENCENT_SMS_URL: simulators.tencentUrl,
    HUFU_WECHAT_URL: simulators.wechatUrl,
    HUFU_WECHAT_OPEN_URL: simulators.wechatUrl,
    HUFU_WECHAT_PICTURES: simulators.wechatUrl,
    HUFU_TRUSTED_PROXIES: '127.0.0.0/8',
    // Attacks call faster than site fairness allows; a fault tests that limit.
    HUFU_SITE_CALLS: '100000',
    HUFU_MAIL_NETWORKS: '127.0.0.0/8',
    HUFU_LOAD_SHEDDING: '0',
  }
  const kept = process.env.HUFU_KEEP_LOGS === '1'
  const logFolder = kept ? mkdtempSync(join(tmpdir(), 'hufu-kept-logs-')) : makeTemporaryFolder('logs')
  const apis = await Promise.all([startApi(environment, logFolder), startApi(environment, logFolder)])
  project.provide('postgresUrl', stores.postgres.url)
  project.provide('redisUrl', stores.redis.url)
  project.provide('redisClusterUrl', stores.cluster?.url ?? '')
  project.provide('inboxUrl', simulators.inbox)
  project.provide('aliyunUrl', simulators.aliyunUrl)
  project.provide('tencentUrl', simulators.tencentUrl)
  project.provide('wechatUrl', simulators.wechatUrl)
  project.provide('smtpPort', simulators.smtpPort)
  project.provide('environment', environment)
  project.provide(
    'apiUrls',
    apis.map(({ url }) => url),
  )
  project.provide(
    'logFiles',
    apis.map(({ log }) => log),
  )
  project.provide('logFolder', logFolder)
  return async () => {
    await Promise.all(apis.map((api) => api.stop()))
    await Promise.all([stores.stop(), simulators.stop()])
    if (kept) return console.error(`logs are kept in ${logFolder}`)
    rmSync(logFolder, { recursive: true, force: true })
  }
}
