import { parseArgs } from 'node:util'
import { type Figure, holds } from './figure.ts'

// pnpm bench [name …] [--seconds N] [--tries N]: measures, prints each figure beside its limit, fails where one isn't held.
const benches: Record<string, () => Promise<{ default: (seconds: number) => Promise<Figure[]> }>> = {
  meta: () => import('./meta.ts'),
  session: () => import('./session.ts'),
  'sign-in': () => import('./sign-in.ts'),
  lighthouse: () => import('./lighthouse.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '3' }, tries: { type: 'string', default: '1' } },
})

function print(figure: Figure) {
  const [direction, bound] = figure.limit
  const value = `${figure.value.toFixed(3)}${figure.unit ?? ''}`
  const from = figure.from ? `  ${figure.from}` : ''
  console.log(`${holds(figure) ? 'ok  ' : 'FAIL'} ${figure.name}: ${value} (${direction} ${bound})${from}`)
}

async function measure(name: string): Promise<boolean> {
  const bench = benches[name]
  if (!bench) throw new Error(`no bench ${name}; there are ${Object.keys(benches).join(', ')}`)
  const { default: run } = await bench()
  const figures = await run(Number(values.seconds))
  figures.forEach(print)
  return figures.every(holds)
}

const failed: string[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
  let held = false
  for (let tried = 0; tried < Number(values.tries) && !held; tried++) held = await measure(name)
  if (!held) failed.push(name)
}
process.exitCode = failed.length > 0 ? 1 : 0
