import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventsPath } from '@hufu/contract/events'
import { sendFeedback } from '@hufu/contract/feedback'
import { userInfo } from '@hufu/contract/profile'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import type { SiteId, UserId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import type { Environment } from '../../tools/run/product.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { post } from './post.ts'
import { host, sessionOf } from './user-session.ts'

/** Below the most that one user may have open. */
const streamsEach = 25
const rounds = 3
const sends = 20
const waitMs = 8_000

interface Listener {
  id: UserId
  browser: Record<string, string>
}

interface Stream {
  /** Called for every received message. */
  received(): void
  ended: boolean
  close(): void
}

/** Memory that is the process's own, in KB. */
function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

function listen(url: string, headers: Record<string, string>): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const call = request(url + eventsPath, { agent, headers }, (answer) => {
      // An overloaded process answers 503; a browser retries.
      if (answer.statusCode === 503) return void sleep(500).then(() => resolve(listen(url, headers)))
      if (answer.statusCode !== 200) return reject(new Error(`a stream was answered ${answer.statusCode}`))
      const stream: Stream = { received() {}, ended: false, close: () => call.destroy() }
      answer.on('data', (chunk: Buffer) => {
        if (chunk.includes('data: ')) stream.received()
      })
      answer.on('error', () => {})
      answer.on('close', () => {
        stream.ended = true
      })
      resolve(stream)
    })
    call.on('error', reject)
    call.end()
  })
}

/** The time from a user's message until all of the streams have received it. */
async function receivedAfter(url: string, author: Listener, streams: Stream[], patience = 10_000): Promise<number> {
  const begun = performance.now()
  const times: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const stream of streams) {
    stream.received = () => {
      if (times.push(performance.now() - begun) === streams.length) resolve()
    }
  }
  const sent = post(url + sendFeedback.path, author.browser, JSON.stringify({ message: '有人吗？' }))
  await Promise.race([promise, sleep(patience)])
  const { status } = await sent
  if (status !== 200 || times.length < streams.length)
    throw new Error(
      `answered ${status}, received by ${times.length}, ${streams.filter(({ ended }) => ended).length} streams ended`,
    )
  return Math.max(...times)
}

async function medianOf(count: number, work: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let turn = 0; turn < count; turn++) {
    values.push(await work())
    await sleep(50)
  }
  return median(values)
}

interface Measured {
  kb: number
  one: number
  last: number
}

interface Place {
  deps: Deps
  site: SiteId
  environment: Environment
}

async function newListener({ deps, site }: Place): Promise<Listener> {
  const id = await createUser(deps, site, { username: `bench_${randomBytes(6).toString('hex')}` }, 'bench')
  return { id, browser: await sessionOf(deps, site, id) }
}

/** A new process: what streams cost it, how fast one user receives a message, and how fast all do once all are operators. */
async function measure(bench: BenchGround, place: Place, count: number): Promise<Measured> {
  const { url, running } = await bench.server(place.environment)
  const author = await newListener(place)
  const users: Listener[] = []
  for (let made = 0; made < count / streamsEach; made++) users.push(await newListener(place))
  const pid = running.child.pid ?? 0
  // One-time allocations of a process are made before its memory is measured.
  for (let turn = 0; turn < 5; turn++) for (const { browser } of users) await post(url + userInfo.path, browser)
  await sleep(waitMs)
  const without = residentKb(pid)
  const streams: Stream[] = []
  for (const { browser } of users)
    streams.push(...(await Promise.all(Array.from({ length: streamsEach }, () => listen(url, browser)))))
  await sleep(waitMs)
  const kb = (residentKb(pid) - without) / streams.length
  const own = await listen(url, author.browser)
  const one = await medianOf(sends, () => receivedAfter(url, author, [own]))
  for (const { id } of users) await makeOperator(place.deps, place.site, id, ['READ'], 'bench')
  // Until every stream has received it, which takes a while on a busy machine.
  const granted = performance.now()
  while (!(await receivedAfter(url, author, streams, 1_000).catch(() => undefined)))
    if (performance.now() - granted > 20_000) throw new Error('some streams never learnt that they are operators')
  const last = await medianOf(sends, () => receivedAfter(url, author, streams))
  for (const stream of [...streams, own]) stream.close()
  await running.stop()
  return { kb, one, last }
}

/** `pnpm bench streams 200`: open event streams on one process, two thousand by default. */
export default async function streams(_seconds: number, [count = '2000']: string[] = []): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const environment = await bench.database('streams')
    const deps = await bench.deps(environment)
    const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
    const results: Measured[] = []
    for (let round = 0; round < rounds; round++)
      results.push(await measure(bench, { deps, site, environment }, Number(count)))
    const all = (name: keyof Measured) => results.map((result) => result[name].toFixed(1)).join(', ')
    return [
      {
        name: `memory of a stream at ${count} of them, KB`,
        value: median(results.map(({ kb }) => kb)),
        limit: ['<=', 50],
        from: all('kb'),
      },
      {
        name: `from a message to its user's stream beside ${count} others, ms`,
        value: median(results.map(({ one }) => one)),
        limit: ['<=', 100],
        from: all('one'),
      },
      {
        name: `from a message to the last of ${count} operators' streams, ms`,
        value: median(results.map(({ last }) => last)),
        limit: ['<=', 1_000],
        from: all('last'),
      },
    ]
  } finally {
    await bench.stop()
  }
}
