import './end-with-script-runner.ts'
import { freePort } from '../stores/ports.ts'
import { type DemoProduct, layDemoGround, stopAll } from './demo-product.ts'
import { demoOperator } from './demo-site.ts'
import { ready, runHufu, runVite, stopOnSignal } from './product.ts'

// Everything with reload: the API restarts when its source changes, the pages change in place.
const parts: DemoProduct['parts'] = []
stopOnSignal(() => stopAll(parts))
try {
  const webPort = Number(process.env.HUFU_DEV_PORT ?? 5173)
  const web = `http://localhost:${webPort}`
  const apiPort = await freePort()
  const api = `http://localhost:${apiPort}`
  const { environment: ground, inbox, wechat, example } = await layDemoGround(parts, web)
  const environment = { ...ground, HUFU_PORT: String(apiPort) }
  const server = runHufu('serve', environment, ['--watch'])
  parts.push(server, runHufu('work', environment, ['--watch']))
  await ready(api, server)
  const pages = runVite(webPort, api)
  parts.push(pages)
  await ready(web, pages, '/')
  console.log(JSON.stringify({ web, inbox, wechat, example, operator: demoOperator, api }))
} catch (error) {
  console.error(error)
  await stopAll(parts)
  process.exit(1)
}
