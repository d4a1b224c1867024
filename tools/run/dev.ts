import { freePort } from '../stores/ports.ts'
import { type DemoProduct, stopAll } from './demo-product.ts'
import { seedDemo } from './demo-site.ts'
import { layGround, ready, runHufu, runVite, stopOnSignal } from './product.ts'

// Everything with reload: the API restarts when its source changes, the pages change in place.
const parts: DemoProduct['parts'] = []
stopOnSignal(() => stopAll(parts))
try {
  const ground = await layGround()
  parts.push(ground)
  const webPort = Number(process.env.HUFU_DEV_PORT ?? 5173)
  const web = `http://localhost:${webPort}`
  const apiPort = await freePort()
  const api = `http://localhost:${apiPort}`
  const environment = {
    ...ground.environment,
    HUFU_PORT: String(apiPort),
    HUFU_LOG_LEVEL: process.env.HUFU_LOG_LEVEL ?? 'warn',
  }
  await seedDemo(environment, web)
  const server = runHufu('serve', environment, ['--watch'])
  const worker = runHufu('work', environment, ['--watch'])
  parts.push(server, worker)
  await ready(api, server)
  const pages = runVite(webPort, api)
  parts.push(pages)
  console.log(JSON.stringify({ web, api }))
} catch (error) {
  console.error(error)
  await stopAll(parts)
  process.exit(1)
}
