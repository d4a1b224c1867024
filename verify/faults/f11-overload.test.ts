import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { deliveredProxy, type Nginx, runNginx } from '../harness/nginx.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { type CpuShare, shareCpu } from './cpu-share.ts'
import { measureCapacity } from './load/capacity.ts'
import { mixedCalls } from './load/mixed-calls.ts'
import type { Loaded, Plan } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'

/** Of one core, for both processes of the product: the load must be able to offer ten times what they can answer. */
const cores = 0.6
const overloadSeconds = few(30, 8)
const afterwards = 8

let product: OwnProduct
let nginx: Nginx
let share: CpuShare
let plan: Omit<Plan, 'rate' | 'seconds' | 'urls'>
beforeAll(async () => {
  product = await startOwnProduct(shedding)
  const { t, apis } = product
  const kinds = await mixedCalls(t, await t.codeSite(), { users: few(400, 100) })
  plan = { kinds, connections: 1_000, patience: 5_000 }
  nginx = await runNginx(deliveredProxy(apis.map(({ url }) => Number(new URL(url).port))))
  // Compiled before it is slow.
  await runLoad({ ...plan, urls: apis.map(({ url }) => url), rate: 200, seconds: few(10, 4) })
  share = shareCpu(cores)
  share.add(apis.map(({ pid }) => pid))
}, 120_000)
afterAll(async () => {
  await share?.remove()
  await nginx?.stop()
  await product.stop()
})

/** Seconds until everything that was due was answered well; a call due at the turn of a second may be counted in either. */
function clearAfter({ bySecond }: Loaded, rate: number): number {
  return bySecond.findLastIndex((good) => good < Math.floor(rate) - 1) + 1
}

const summaryOf = ({ offered, seconds, behind, goodput, ok, refused, failed, bySecond }: Loaded): string =>
  `${(offered / seconds).toFixed(0)}/s offered (${behind.toFixed(0)} ms behind), ${goodput.toFixed(0)}/s well, median ${ok.p50.toFixed(0)} ms, p99 ${ok.p99.toFixed(0)} ms; ${refused.count} busy, median ${refused.p50.toFixed(1)} ms, p99 ${refused.p99.toFixed(0)} ms; ${failed} neither; by second ${bySecond.join(' ')}`

/** What they can answer, then ten times that, then half of it. */
async function overload(urls: string[]) {
  const { perSecond, steps } = await measureCapacity(
    { ...plan, urls },
    { from: few(150, 250), seconds: few(5, 3), growth: few(1.15, 1.2) },
  )
  console.log(
    `F11: capacity ${perSecond.toFixed(0)}/s of ${steps.map(({ rate, goodput }) => `${rate.toFixed(0)}: ${goodput.toFixed(0)}`).join(', ')}`,
  )
  await sleep(2_000)
  const loaded = await runLoad({ ...plan, urls, rate: 10 * perSecond, seconds: overloadSeconds })
  const usual = perSecond / 2
  const after = await runLoad({ ...plan, urls, rate: usual, seconds: afterwards })
  console.log(`F11: ${summaryOf(loaded)}\nF11: afterwards ${summaryOf(after)}`)
  return { goodput: loaded.goodput / perSecond, loaded, clear: clearAfter(after, usual) }
}

test('F11 under ten times its capacity the product answers nearly as much, and refuses the rest at once', async () => {
  const { goodput, loaded, clear } = await overload([nginx.url])
  expect(loaded.refused.count).toBeGreaterThan(loaded.offered / 2)
  figure('goodput at ten times the capacity', goodput, ['>=', 0.8])
  figure('median until a refusal', loaded.refused.p50, ['<=', 50], 'ms')
  figure('neither answered nor refused', loaded.failed / loaded.offered, ['<=', 0.01])
  figure('all well again after', clear, ['<=', 5], 's')
})

test('F11 without a proxy that sheds load the product recovers as soon', async () => {
  const { clear } = await overload(product.apis.map(({ url }) => url))
  figure('all well again after, without the proxy', clear, ['<=', 5], 's')
})
