import '../run/end-with-script-runner.ts'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { chromiumPath } from '../run/browser.ts'
import { type DemoProduct, startDemo, stopAll } from '../run/demo-product.ts'
import { buildWeb, webFolder } from '../run/product.ts'
import { freePort } from '../stores/ports.ts'
import { type Example, openExample } from './example.ts'
import { type Journey, signInAndOut, signInAsThirdParty } from './journey.ts'

// pnpm examples [name …] [--built]: starts the demo, follows the README of each example under examples/ word for word and signs
// a user in and out in Chromium, as first and as third party.
const { values, positionals } = parseArgs({ allowPositionals: true, options: { built: { type: 'boolean' } } })
const folder = join(import.meta.dirname, '../../examples')
const known = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'README.md')) && name !== 'brands')
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) throw new Error(`no example ${unknown.join(', ')}; there are ${known.join(', ')}`)
if (!values.built || !existsSync(webFolder)) await buildWeb()

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`

type Addresses = Omit<Journey, 'page' | 'app'>

async function follow(example: Example, port: number, addresses: Addresses, step: (name: string) => void) {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })
  const page = await (await browser.newContext({ locale: 'zh-CN' })).newPage()
  try {
    const app = `http://localhost:${port}`
    await example.at(app).run('try')
    step('registered and installed')
    const first = await example.at(app).start('start')
    const subject = await signInAndOut({ ...addresses, app, page })
    step('signed in, refreshed, signed out on both sides, first party')
    await first.stop()

    // An address belongs to one client.
    const other = `http://127.0.0.1:${port}`
    await example.at(other).run('third')
    const third = await example.at(other).start('restart')
    const subjectThere = await signInAsThirdParty({ ...addresses, app: other, page })
    step('agreed, signed in and out, third party')
    await third.stop()
    if (subjectThere === subject) throw new Error('a third party learnt the id of the user')
  } finally {
    await browser.close()
  }
}

const parts: DemoProduct['parts'] = []
let failed = 0
try {
  const { addresses, environment } = await startDemo(parts)
  for (const name of positionals.length > 0 ? positionals : known) {
    console.log(name)
    let since = performance.now()
    const step = (words: string) => {
      console.log(`${seconds(since)}  ${words}`)
      since = performance.now()
    }
    const port = await freePort()
    const example = openExample(name, { issuer: addresses.web, app: '', environment })
    await follow(example, port, addresses, step)
      .catch((error) => {
        failed++
        console.error(`        FAILED ${name}`, error)
      })
      .finally(example.remove)
  }
} finally {
  await stopAll(parts)
}
process.exit(failed > 0 ? 1 : 0)
