import { setTimeout as sleep } from 'node:timers/promises'
import { changeNickname } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig, saveConfig } from '../../apps/server/src/features/site/site.service.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { type Receiver, startReceiver } from '../../apps/server/test/webhook-receiver.ts'
import { webhookSecret } from '../../apps/server/test/webhook-secret.ts'
import { happen, passDeliveries, type WebhookConfig } from '../../apps/server/test/webhooks.ts'
import { type Running, runHufu } from '../../tools/run/product.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { figure } from '../harness/assert-figure.ts'
import { killed, startApi } from '../harness/environment.ts'
import { few, freshAddress, type User } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { seeded } from '../harness/walks.ts'

const secret = webhookSecret()
const pick = seeded('F17')

let product: OwnProduct
let t: OwnProduct['t']
let site: TestSite
let workers: Running[]
let good: Receiver
let other: Receiver
let slow: Receiver
const receivers: Receiver[] = []

const startWorker = (environment: Record<string, string>) =>
  runHufu('work', { ...environment, HUFU_LOG_LEVEL: 'warn' }, [], 2)

async function newReceiver(port?: number): Promise<Receiver> {
  const receiver = await startReceiver(port)
  receivers.push(receiver)
  return receiver
}

beforeAll(async () => {
  product = await startOwnProduct({ HUFU_INSECURE_HTTP: '1' })
  ;({ t } = product)
  ;[good, other, slow] = [await newReceiver(), await newReceiver(), await newReceiver()]
  slow.answer = async () => {
    await sleep(2_000)
    return 200
  }
  site = await t.codeSite()
  workers = await Promise.all(times(2, () => startWorker(product.environment)))
}, 120_000)
afterAll(async () => {
  await Promise.all((workers ?? []).map((worker) => worker.stop()))
  await product?.stop()
  for (const receiver of receivers) await receiver.close()
})

async function setWebhooks(urls: Record<string, string>): Promise<void> {
  const { version, config } = await readConfig(t.deps, site.id)
  const former = config.webhooks ?? []
  const webhooks = Object.entries(urls).map(([id, url]): WebhookConfig => {
    const same = former.find((webhook) => webhook.id === id && webhook.url === url)
    return same ?? { id, url, secret }
  })
  await saveConfig(t.deps, site.id, { config: { ...config, webhooks }, basedOn: version }, 'test')
  // Until every worker knows it.
  await sleep(2_500)
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** How long events took to arrive at the good endpoint, at a steady rate. */
async function latencies(count: number): Promise<number[]> {
  const from = good.received.length
  for (let sent = 0; sent < count; sent++) {
    await happen(t.deps, site, crypto.randomUUID(), 'latency')
    await sleep(40)
  }
  const arrived = () => good.received.slice(from).filter(({ data }) => data.changed[0] === 'latency')
  await expect.poll(() => arrived().length, { timeout: 60_000 }).toBe(count)
  return arrived().map(({ at, body }) => at - Date.parse(JSON.parse(body).timestamp))
}

test('F17 a slow and a dead endpoint delay no other one', async () => {
  const [alone, beside]: number[][] = [[], []]
  await setWebhooks({ good: good.url })
  await latencies(20)
  const gone = `http://127.0.0.1:${await freePort()}/`
  for (let round = 0; round < few(5, 2); round++) {
    await setWebhooks({ good: good.url })
    alone?.push(...(await latencies(few(200, 50))))
    await setWebhooks({ good: good.url, slow: slow.url, gone })
    beside?.push(...(await latencies(few(200, 50))))
  }
  console.log(`F17: median ${median(alone ?? [])} ms alone, ${median(beside ?? [])} ms beside a slow and a dead one`)
  figure('median beside a slow and a dead endpoint', median(beside ?? []) / median(alone ?? []), ['<=', 1.3], '×')
})

interface Written {
  id: string
  subject: string
  changed: string
}

/** Every committed event since, in its order. */
async function eventsSince(position: number): Promise<Written[]> {
  const { rows } = await t.deps.pool.query<Written>(
    `SELECT id, coalesce(subject::text, data->>'id') AS subject, data->'changed'->>0 AS changed FROM event
     WHERE site_id = $1 AND pos > $2 ORDER BY pos`,
    [site.id, position],
  )
  return rows
}

const lastPosition = async (): Promise<number> =>
  Number((await t.deps.pool.query('SELECT last FROM event_head WHERE site_id = $1', [site.id])).rows[0]?.last ?? 0)

/** Changes of users by events of a numbered sequence each, and by calls while their processes are killed. */
async function writeAll(count: number, callers: User[], stopped: () => boolean): Promise<{ acknowledged: number }> {
  const subjects = times(500, () => crypto.randomUUID())
  let next = 0
  let acknowledged = 0
  await Promise.all([
    ...times(8, async (writer) => {
      for (let at = next++; at < count; at = next++) {
        // A user belongs to one writer: the order of the sequence is that of the commits.
        const subject = subjects[((at * 8 + writer) % 496) - (((at * 8 + writer) % 496) % 8) + writer] ?? ''
        await happen(t.deps, site, subject, String(at))
      }
    }),
    ...callers.map(async (caller, index) => {
      for (let at = 0; !stopped() && at < 50; at++) {
        const { status } = await caller
          .call(changeNickname, { nickname: `用户${index}次${at}` }, freshAddress())
          .catch(() => ({ status: 0 }))
        if (status === 200) acknowledged++
        await sleep(100)
      }
    }),
  ])
  return { acknowledged }
}

async function keepKilling(stopped: () => boolean): Promise<number> {
  let kills = 0
  for (; !stopped(); kills++) {
    await sleep(1_000 + pick(2_000))
    const at = Math.floor(kills / 2) % 2
    if (kills % 2 === 0) {
      const worker = workers[at]
      if (worker) await killed(worker)
      workers[at] = await startWorker(product.environment)
    } else {
      const api = product.apis[at]
      if (!api) continue
      await api.kill()
      product.apis[at] = await startApi(product.environment, inject('logFolder'), Number(new URL(api.url).port))
    }
  }
  return kills
}

/** What a receiver got of these events: which are missing, how many came again, and whether a user's came in order. */
function account(receiver: Receiver, written: Written[]): { lost: number; again: number; disordered: number } {
  const position = new Map(written.map(({ id }, index) => [id, index]))
  const seen = new Set<string>()
  const lastOf = new Map<string, number>()
  let [again, disordered] = [0, 0]
  for (const { id, data } of receiver.received) {
    const at = position.get(id)
    if (at === undefined) continue
    if (seen.has(id)) again++
    else {
      if (at < (lastOf.get(data.id) ?? -1)) disordered++
      lastOf.set(data.id, at)
    }
    seen.add(id)
  }
  return { lost: written.length - seen.size, again, disordered }
}

test('F17 events through kills of worker and API, with one endpoint slow and one dead for a day: none is lost', {
  timeout: 3_600_000,
}, async () => {
  const count = few(100_000, 2_000)
  const port = await freePort()
  const dead = `http://127.0.0.1:${port}/hooks`
  // As slow as it can be to get everything in the time of a test.
  slow.answer = async (_delivery, taken) => {
    if (taken % 50 === 0) await sleep(500)
    return taken % 97 === 0 ? 503 : 200
  }
  await setWebhooks({ good: good.url, other: other.url, slow: slow.url, dead })
  for (const { received } of receivers) received.length = 0
  const from = await lastPosition()
  const callers = await Promise.all(
    times(few(40, 8), async () => t.session(site, (await t.user(site, { password: undefined })).id)),
  )
  let done = false
  const killing = keepKilling(() => done)
  const { acknowledged } = await writeAll(count, callers, () => done)
  done = true
  const kills = await killing
  const written = await eventsSinceNumbered(from)
  const changed = written.filter(({ changed }) => changed === 'nickname').length
  expect(changed).toBeGreaterThanOrEqual(acknowledged)
  const drained = (receiver: Receiver) => () => account(receiver, written).lost
  const drain = async (receiver: Receiver) => {
    for (let waited = 0; drained(receiver)() > 0 && waited < few(1_200, 120); waited++) {
      await sleep(500)
      if (waited % 10 === 9) await passDeliveries(t.deps, site, '1 minute')
    }
  }
  for (const receiver of [good, other, slow]) await drain(receiver)
  for (let hour = 0; hour < 24; hour++) {
    await passDeliveries(t.deps, site, '1 hour')
    await sleep(few(2_000, 500))
  }
  const back = await newReceiver(port)
  await passDeliveries(t.deps, site, '1 hour')
  await drain(back)
  for (const [name, receiver] of Object.entries({ good, other, slow, back })) {
    const { lost, again, disordered } = account(receiver, written)
    console.log(
      `F17: ${name}: ${written.length} events, ${lost} lost, ${again} again, ${disordered} out of order, ${kills} kills`,
    )
    figure(`lost at ${name}`, lost, ['=', 0])
    // What was on its way when a worker died.
    figure(`again at ${name}`, again, ['<=', 16 * Math.ceil(kills / 2)])
    figure(`out of order at ${name}`, disordered, ['=', 0])
  }
})

async function eventsSinceNumbered(from: number): Promise<Written[]> {
  const unnumbered = async () =>
    (await t.deps.pool.query('SELECT FROM event WHERE site_id = $1 AND pos IS NULL LIMIT 1', [site.id])).rows.length
  await expect.poll(unnumbered, { timeout: 60_000 }).toBe(0)
  return await eventsSince(from)
}
