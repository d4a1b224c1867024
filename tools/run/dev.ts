import { freePort } from '../stores/ports.ts'
import { seedDemo } from './demo-site.ts'
import { layGround, ready, run, runHufu, stopOnSignal } from './product.ts'

// Everything with reload: the API restarts when its source changes, the pages change in place.
const ground = await layGround()
const parts: { stop(): Promise<void> }[] = [ground]
const stopAll = stopOnSignal(parts)
try {
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
  const pages = run(
    'vite',
    ['--port', String(webPort), '--strictPort', '--logLevel', 'warn'],
    { HUFU_API: api },
    'apps/web',
  )
  parts.push(pages)
  console.log(JSON.stringify({ web, api }))
} catch (error) {
  console.error(error)
  await stopAll()
  process.exit(1)
}
