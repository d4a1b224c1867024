import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import '../../tools/run/end-with-script-runner.ts'
import { parseArgs } from 'node:util'
import { type Figure, holds, shown } from '../harness/figures.ts'
import { benches } from './benches.ts'

// pnpm bench [name …] [a number for load-users, feedback, streams, statistics, users or import] [--seconds N] [--json FILE]: measures,
// prints each figure beside its limit, writes them all into the file where one is named, and fails where one isn't held.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '3' }, json: { type: 'string' } },
})

function print(figure: Figure) {
  const from = figure.from ? `  ${figure.from}` : ''
  console.log(`${holds(figure) ? 'ok  ' : 'FAIL'} ${figure.name}: ${shown(figure)} (${figure.limit.join(' ')})${from}`)
}

async function measure(name: string, options: string[]): Promise<Figure[]> {
  const bench = benches[name]
  if (!bench) throw new Error(`no bench ${name}; there are ${Object.keys(benches).join(', ')}`)
  const { default: run } = await bench()
  const figures = await run(Number(values.seconds), options)
  for (const figure of figures) print(figure)
  return figures
}

function write(file: string, figures: Figure[]) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
}

const numbers = positionals.filter((word) => /^\d+$/.test(word))
const names = positionals.filter((word) => !numbers.includes(word))
const measured: Figure[] = []
for (const name of names.length > 0 ? names : Object.keys(benches)) {
  measured.push(...(await measure(name, numbers)))
  if (values.json) write(values.json, measured)
}
const failed = measured.filter((figure) => !holds(figure))
for (const { name } of failed) console.error(`not held: ${name}`)
process.exitCode = failed.length > 0 ? 1 : 0
