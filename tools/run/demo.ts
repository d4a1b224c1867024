import './end-with-script-runner.ts'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startDemoClients } from './demo-clients.ts'
import { type DemoProduct, startDemo, stopAll } from './demo-product.ts'
import { buildWeb, stopOnSignal, webFolder } from './product.ts'

// The production build with servers and data of its own; one line of JSON on standard output when it is ready.
const { values } = parseArgs({ options: { port: { type: 'string' }, built: { type: 'boolean', default: false } } })
if (!values.built || !existsSync(webFolder)) await buildWeb()

const parts: DemoProduct['parts'] = []
stopOnSignal(() => stopAll(parts))
try {
  const demo = await startDemo(parts, values.port === undefined ? undefined : Number(values.port))
  console.log(JSON.stringify({ ...demo.addresses, ...(await startDemoClients(demo)) }))
} catch (error) {
  console.error(error)
  await stopAll(parts)
  process.exit(1)
}
