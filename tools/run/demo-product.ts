import { startExampleSite } from '../example-site/example-site.ts'
import { startSimulators } from '../simulators/start-simulators.ts'
import { freePort } from '../stores/ports.ts'
import { demoClient, demoOperator, seedDemo, simulatorEnvironment } from './demo-site.ts'
import { graceDate } from './grace-date.ts'
import { type Environment, layGround, ready, runHufu, webFolder } from './product.ts'

export interface DemoProduct {
  /** What a user or a suite of tests needs to know to use it. */
  addresses: { web: string; inbox: string; wechat: string; example: string; operator: typeof demoOperator }
  /** What every command of the product needs to know. */
  environment: Environment
  /** In the order of their start. */
  parts: { stop(): Promise<void> }[]
}

interface DemoGround {
  environment: Environment
  inbox: string
  wechat: string
  /** Another site, whose users sign in here. */
  example: string
}

/** Stores, simulators and the demo site; what has been started so far is in `parts` even when it fails. */
export async function layDemoGround(parts: DemoProduct['parts'], web: string): Promise<DemoGround> {
  const ground = await layGround()
  parts.push(ground)
  // Carriers send one message a minute to a number; the demo does not make its users wait for that.
  const simulators = await startSimulators({ limits: false })
  parts.push(simulators)
  const environment = {
    ...ground.environment,
    ...simulatorEnvironment(simulators),
    // To try the back-office, signing in is enough.
    HUFU_OPERATOR_FACTOR_GRACE: graceDate(),
    HUFU_LOG_LEVEL: process.env.HUFU_LOG_LEVEL ?? 'warn',
  }
  const example = await startExampleSite({ centre: web, ...demoClient })
  parts.push(example)
  await seedDemo(environment, web, simulators, example.url)
  return { environment, inbox: simulators.inbox, wechat: simulators.wechatUrl, example: example.url }
}

/** The built product over its own stores. */
export async function startDemo(parts: DemoProduct['parts'], port?: number): Promise<DemoProduct> {
  const chosen = port ?? (await freePort())
  const web = `http://localhost:${chosen}`
  const { environment: ground, inbox, wechat, example } = await layDemoGround(parts, web)
  const environment = { ...ground, NODE_ENV: 'production', HUFU_PORT: String(chosen), HUFU_WEB_FOLDER: webFolder }
  const server = runHufu('serve', environment)
  // Sites on this machine are notified of a sign-out as well, which are neither public nor https.
  parts.push(server, runHufu('work', { ...environment, HUFU_INSECURE_HTTP: '1' }))
  await ready(web, server)
  return { addresses: { web, inbox, wechat, example, operator: demoOperator }, environment, parts }
}

export async function stopAll(parts: DemoProduct['parts']): Promise<void> {
  for (const part of parts.toReversed()) await part.stop()
}
