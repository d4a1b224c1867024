import '../tools/run/end-with-script-runner.ts'
import { parseArgs } from 'node:util'
import { type Figure, holds } from './figure.ts'

// pnpm bench [name …] [a number for load-users, feedback, streams, statistics or users] [--seconds N] [--tries N] [--margin 0.2]: measures,
// prints each figure beside its limit, fails where one isn't held, or is missed by more than the margin where there is one.
type Bench = (seconds: number, options: string[]) => Promise<Figure[]>

const benches: Record<string, () => Promise<{ default: Bench }>> = {
  meta: () => import('./meta.ts'),
  session: () => import('./session.ts'),
  'scan-check': () => import('./scan-check.ts'),
  'sign-in': () => import('./sign-in.ts'),
  avatar: () => import('./avatar.ts'),
  lighthouse: () => import('./lighthouse.ts'),
  'load-users': () => import('./load-users.ts'),
  feedback: () => import('./feedback.ts'),
  streams: () => import('./streams.ts'),
  statistics: () => import('./statistics.ts'),
  users: () => import('./users.ts'),
  'cold-start': () => import('./cold-start.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    tries: { type: 'string', default: '1' },
    margin: { type: 'string', default: '0' },
  },
})

/** Whether it holds, or misses its limit by no more than the margin, which is a part of the limit. */
function passes(figure: Figure): boolean {
  const [direction, bound] = figure.limit
  const slack = Number(values.margin) * bound * (direction === '>=' ? -1 : 1)
  return holds({ ...figure, limit: [direction, bound + slack] })
}

function print(figure: Figure) {
  const [direction, bound] = figure.limit
  const word = holds(figure) ? 'ok  ' : passes(figure) ? 'near' : 'FAIL'
  const value = `${figure.value.toFixed(3)}${figure.unit ?? ''}`
  const from = figure.from ? `  ${figure.from}` : ''
  console.log(`${word} ${figure.name}: ${value} (${direction} ${bound})${from}`)
}

/** Measures until every figure has held once or the tries are used up; answers what never held. */
async function measure(name: string, options: string[], tries: number): Promise<string[]> {
  const bench = benches[name]
  if (!bench) throw new Error(`no bench ${name}; there are ${Object.keys(benches).join(', ')}`)
  const { default: run } = await bench()
  const open = new Map<string, boolean>()
  for (let tried = 0; tried < tries; tried++) {
    for (const figure of await run(Number(values.seconds), options)) {
      print(figure)
      open.set(figure.name, (open.get(figure.name) ?? true) && !passes(figure))
    }
    if (![...open.values()].includes(true)) break
  }
  return [...open].filter(([, failed]) => failed).map(([figure]) => figure)
}

const failed: string[] = []
const numbers = positionals.filter((word) => /^\d+$/.test(word))
const names = positionals.filter((word) => !numbers.includes(word))
for (const name of names.length > 0 ? names : Object.keys(benches)) {
  failed.push(...(await measure(name, numbers, Number(values.tries))))
}
for (const figure of failed) console.error(`not held: ${figure}`)
process.exitCode = failed.length > 0 ? 1 : 0
