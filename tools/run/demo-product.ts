import { freePort } from '../stores/ports.ts'
import { seedDemo } from './demo-site.ts'
import { layGround, ready, runHufu, webFolder } from './product.ts'

export interface DemoProduct {
  web: string
  /** In the order of their start. */
  parts: { stop(): Promise<void> }[]
}

/** The built product over its own stores with the demo site; what has been started so far is in `parts` even when it fails. */
export async function startDemo(parts: DemoProduct['parts'], port?: number): Promise<DemoProduct> {
  const ground = await layGround()
  parts.push(ground)
  const chosen = port ?? (await freePort())
  const web = `http://localhost:${chosen}`
  const environment = {
    ...ground.environment,
    NODE_ENV: 'production',
    HUFU_PORT: String(chosen),
    HUFU_WEB_FOLDER: webFolder,
    HUFU_LOG_LEVEL: process.env.HUFU_LOG_LEVEL ?? 'warn',
  }
  await seedDemo(environment, web)
  const server = runHufu('serve', environment)
  parts.push(server, runHufu('work', environment))
  await ready(web, server)
  return { web, parts }
}

export async function stopAll(parts: DemoProduct['parts']): Promise<void> {
  for (const part of parts.toReversed()) await part.stop()
}
