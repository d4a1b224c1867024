import '../run/end-with-script-runner.ts'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildWeb, webFolder } from '../run/product.ts'
import { follow } from './follow.ts'
import { guideOf, missingFor } from './needs.ts'

// pnpm examples [name …] [--built] [--available]: follows the README of each example under examples/ word for word and signs
// users in and out in Chromium, as first and as third party. With --available those that need what this machine has not are skipped.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { built: { type: 'boolean' }, available: { type: 'boolean' } },
})
const known = readdirSync(join(import.meta.dirname, '../../examples')).filter(
  (name) => name !== 'brands' && existsSync(guideOf(name)),
)
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) throw new Error(`no example ${unknown.join(', ')}; there are ${known.join(', ')}`)
const named = positionals.length > 0 ? positionals : known

const missing = new Map(named.map((name) => [name, missingFor(guideOf(name))]))
const lacking = named.filter((name) => missing.get(name)?.length)
for (const name of lacking) console.error(`${name}: ${missing.get(name)?.join(', ')}`)
if (lacking.length > 0 && !values.available) process.exit(1)

if (!values.built || !existsSync(webFolder)) await buildWeb()
const failed: string[] = []
for (const name of named) {
  if (lacking.includes(name)) continue
  console.log(name)
  let since = performance.now()
  const step = (words: string) => {
    const seconds = (performance.now() - since) / 1000
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${words}`)
    since = performance.now()
  }
  await follow(name, step).catch((error) => {
    failed.push(name)
    console.error(`        FAILED ${name}`, error)
  })
}
if (lacking.length > 0) console.log(`skipped: ${lacking.join(', ')}`)
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
