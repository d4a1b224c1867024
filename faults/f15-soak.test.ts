import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { figure } from '../attacks/figure.ts'
import { few, short } from '../attacks/harness.ts'
import type { Held } from './inspector.ts'
import { measureCapacity } from './load/capacity.ts'
import { mixedCalls } from './load/mixed-calls.ts'
import type { Loaded } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'
import { slope } from './slope.ts'
import { type Stored, startWatchedProduct, type WatchedProduct } from './watched-product.ts'

const seconds = few(20 * 60, 12)
const sampleSeconds = few(30, 4)
/** Of the capacity; what a short run measures of it is rough. */
const share = few(0.8, 0.3)
const megabyte = 1_048_576
/** In megabytes a minute; far less than a hundredth of what a byte kept of every call would be. */
const mostSlope = 0.2
/** Timers come and go; what is left of thousands of calls would be far more. */
const mostHandles = 10
/** A short run only shows that nothing runs away. */
const mostGrowth = 40

let product: WatchedProduct
beforeAll(async () => {
  product = await startWatchedProduct()
})
afterAll(() => product?.stop())

interface Sample {
  at: number
  held: Record<string, Held>
  stored: Stored
}

const everyProcess = () => [...product.busy, product.worker, product.idle]

async function sample(started: number): Promise<Sample> {
  const held: Sample['held'] = {}
  for (const process of everyProcess()) held[process.name] = await process.held()
  return { at: (performance.now() - started) / 60_000, held, stored: await product.stored() }
}

/** Looks at every process now and then for as long as the load lasts. */
async function soak(load: Promise<Loaded>): Promise<{ loaded: Loaded; samples: Sample[] }> {
  const samples: Sample[] = []
  const started = performance.now()
  let loaded: Loaded | undefined
  const loading = load.then((result) => {
    loaded = result
  })
  while (!loaded) {
    await Promise.race([sleep(sampleSeconds * 1_000), loading])
    samples.push(await sample(started))
  }
  return { loaded, samples }
}

const secondHalf = (samples: Sample[]) => samples.slice(Math.floor(samples.length / 2))

/** Megabytes a minute in the second half, when caches are filled and code is compiled. */
const growth = (samples: Sample[], name: string, what: 'heap' | 'external'): number =>
  slope(secondHalf(samples).map(({ at, held }) => ({ at, value: (held[name]?.[what] ?? 0) / megabyte })))

const tell = ({ at, held, stored }: Sample) =>
  console.log(
    `F15: ${at.toFixed(1)} min: ${Object.entries(held)
      .map(([name, { heap, external, resident, handles }]) => {
        const size = [heap, external, resident].map((bytes) => (bytes / megabyte).toFixed(1)).join('/')
        return `${name} ${size} MB, ${Object.values(handles).reduce((a, b) => a + b, 0)} handles`
      })
      .join('; ')}; ${JSON.stringify(stored)}`,
  )

/** The most handles of one kind that a process has more than before. */
function leaked(before: Sample, after: Sample): number {
  const more = Object.entries(after.held).flatMap(([name, { handles }]) =>
    Object.entries(handles).map(([kind, count]) => count - (before.held[name]?.handles[kind] ?? 0)),
  )
  return Math.max(0, ...more)
}

function tellGrowth(samples: Sample[], before: Sample, after: Sample): void {
  for (const { name } of [...product.busy, product.worker]) {
    if (short) {
      const grown = (after.held[name]?.heap ?? 0) - (before.held[name]?.heap ?? 0)
      figure(`heap of the ${name} process, grown`, grown / megabyte, ['<=', mostGrowth], 'MB')
    } else {
      for (const what of ['heap', 'external'] as const) {
        const beyond = growth(samples, name, what) - growth(samples, 'idle', what)
        figure(`${what} of the ${name} process, growth beyond an idle one's`, beyond, ['<=', mostSlope], 'MB/min')
      }
    }
  }
  if (short) return
  const bytes = secondHalf(samples).map(({ at, stored }) => ({ at, value: stored.redisBytes / megabyte }))
  figure('memory of Redis, growth', slope(bytes), ['<=', mostSlope], 'MB/min')
}

test('F15 at four fifths of its capacity for twenty minutes hardly a call fails and nothing is kept', {
  timeout: (seconds + 300) * 1_000,
}, async () => {
  const { t, busy } = product
  const site = await t.codeSite()
  const plan = {
    urls: busy.map(({ url }) => url),
    kinds: await mixedCalls(t, site, { people: few(400, 100) }),
    connections: 200,
    patience: 5_000,
  }
  const { perSecond } = await measureCapacity(plan, { from: 200, seconds: few(5, 1.5), growth: few(1.25, 2) })
  await sleep(2_000)
  const before = await sample(0)
  tell(before)
  const { loaded, samples } = await soak(runLoad({ ...plan, rate: share * perSecond, seconds }))
  await sleep(3_000)
  const after = await sample(0)
  for (const one of [...samples, after]) tell(one)
  // In a short run on a machine that has other work, a call that was refused in time is the machine's affair.
  const failed = short ? loaded.failed : loaded.offered - loaded.ok.count
  console.log(
    `F15: capacity ${perSecond.toFixed(0)}/s; ${loaded.offered} calls offered in ${seconds} s, ${loaded.refused.count} refused, ${loaded.failed} failed, p50 ${loaded.ok.p50.toFixed(1)} ms, p99 ${loaded.ok.p99.toFixed(1)} ms, longest ${loaded.ok.longest.toFixed(0)} ms; generator at most ${loaded.behind.toFixed(0)} ms behind`,
  )
  for (const [kind, { answers }] of Object.entries(loaded.kinds)) {
    if (Object.keys(answers).some((answer) => !answer.startsWith('2')))
      console.log(`F15: ${kind}: ${JSON.stringify(answers)}`)
  }
  figure('calls failed, of 100,000', (failed / loaded.offered) * 100_000, ['<=', 1])
  tellGrowth(samples, before, after)
  figure('handles of one kind left after the load', leaked(before, after), ['<=', mostHandles])
  figure('temporary files left', after.stored.files, ['=', 0])
  expect(after.stored.connections).toBeLessThanOrEqual(before.stored.connections + 4)
})
