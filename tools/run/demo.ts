import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { freePort } from '../stores/ports.ts'
import { seedDemo } from './demo-site.ts'
import { layGround, ready, run, runHufu, stopOnSignal, webFolder } from './product.ts'

// The production build with servers and data of its own; one line of JSON on standard output when it is ready.
const { values } = parseArgs({ options: { port: { type: 'string' }, built: { type: 'boolean', default: false } } })

if (!values.built || !existsSync(webFolder)) {
  const build = run('vite', ['build', '--logLevel', 'warn'], {}, 'apps/web')
  const code = await new Promise((resolve) => build.child.once('exit', resolve))
  if (code !== 0) process.exit(1)
}

const ground = await layGround()
const parts: { stop(): Promise<void> }[] = [ground]
const stopAll = stopOnSignal(parts)
try {
  const port = Number(values.port ?? (await freePort()))
  const web = `http://localhost:${port}`
  const environment = {
    ...ground.environment,
    NODE_ENV: 'production',
    HUFU_PORT: String(port),
    HUFU_WEB_FOLDER: webFolder,
    HUFU_LOG_LEVEL: process.env.HUFU_LOG_LEVEL ?? 'warn',
  }
  await seedDemo(environment, web)
  const server = runHufu('serve', environment)
  const worker = runHufu('work', environment)
  parts.push(server, worker)
  await ready(web, server)
  console.log(JSON.stringify({ web }))
} catch (error) {
  console.error(error)
  await stopAll()
  process.exit(1)
}
