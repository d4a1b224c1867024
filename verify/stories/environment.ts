import { certificate } from '../../tools/compat/https.ts'
import { artefact } from '../../tools/run/build.ts'
import { stopAll } from '../../tools/run/demo-product.ts'
import { simulatorEnvironment } from '../../tools/run/demo-site.ts'
import { type Environment, hufu, layGround, runHufu, webFolder } from '../../tools/run/product.ts'
import { startSimulators } from '../../tools/simulators/start-simulators.ts'
import { deliveredProxy, runNginx } from '../harness/nginx.ts'
import { startServers } from './servers.ts'

/** What all workers of a run share. Every story has a site of its own on it. */
export interface Ground {
  environment: Environment
  /** Where browsers reach the product. */
  entrance: string
  /** The ports of its API processes. */
  ports: number[]
  inbox: string
  wechatUrl: string
  smtpPort: number
}

const variable = 'HUFU_STORY_GROUND'

/** Workers inherit the environment of the global setup. */
export function readGround(): Ground {
  const text = process.env[variable]
  if (!text) throw new Error(`${variable} is not set: the global setup has not run`)
  return JSON.parse(text) as Ground
}

/** One process of the sources that browsers reach directly; of a release two, behind the proxy and TLS that go with it. */
async function start(parts: { stop(): Promise<void> }[]): Promise<Ground> {
  const stores = await layGround()
  parts.push(stores)
  const simulators = await startSimulators({ limits: false })
  parts.push(simulators)
  const environment = {
    ...stores.environment,
    ...simulatorEnvironment(simulators),
    ...(!artefact && { HUFU_WEB_FOLDER: webFolder }),
    HUFU_LOG_LEVEL: 'warn',
    // A story sets the address of its browsers as a proxy would.
    HUFU_TRUSTED_PROXIES: '127.0.0.0/8',
    HUFU_LOAD_SHEDDING: '0',
  }
  await hufu(environment, ['migrate'])
  const servers = await startServers(environment, artefact ? 2 : 1)
  parts.push(servers, runHufu('work', environment))
  const proxy = artefact ? await runNginx({ ...deliveredProxy(servers.ports), tls: certificate() }) : undefined
  if (proxy) parts.push(proxy)
  const entrance = proxy?.url ?? `http://127.0.0.1:${servers.ports[0]}`
  const { inbox, wechatUrl, smtpPort } = simulators
  return { environment, entrance, ports: servers.ports, inbox, wechatUrl, smtpPort }
}

/** Playwright's global setup; it returns the teardown. */
export default async function layStoryGround(): Promise<() => Promise<void>> {
  const parts: { stop(): Promise<void> }[] = []
  try {
    process.env[variable] = JSON.stringify(await start(parts))
  } catch (error) {
    await stopAll(parts)
    throw error
  }
  return () => stopAll(parts)
}
