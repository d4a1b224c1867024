import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { freePorts } from '../../tools/stores/ports.ts'
import { figure } from '../harness/assert-figure.ts'
import { type FormerRelease, formerRelease, lastReleased } from '../harness/former-release.ts'
import { type Harness, openHarness, short } from '../harness/harness.ts'
import { type Served, thisRelease } from '../harness/releases.ts'
import { openLedger } from './rolling-ledger.ts'
import { keepCalling } from './rolling-load.ts'
import { endAcross, signSomeIn } from './rolling-sessions.ts'

const rate = 300
const phase = 15_000
const commit = short ? undefined : lastReleased()

let environment: Record<string, string>
let former: FormerRelease
let t: Harness
let site: TestSite
let ports: number[]
const running: Served[] = []
/** The running processes, used in turn; callers look here each time. */
const urls: string[] = []
const address = (port: number | undefined) => `http://127.0.0.1:${port}`

async function emptyDatabase(): Promise<string> {
  const client = new Client({ connectionString: `${inject('postgresUrl')}postgres` })
  await client.connect()
  await client.query('CREATE DATABASE former').finally(() => client.end())
  return `${inject('postgresUrl')}former`
}

beforeAll(async () => {
  if (!commit) return
  former = await formerRelease(commit, inject('logFolder'))
  environment = { ...inject('environment'), HUFU_DATABASE_URL: await emptyDatabase() }
  await former.migrate(environment)
  ports = await freePorts(4)
  for (const port of ports.slice(0, 2)) running.push(await former.serve(environment, port))
  running.push(former.work(environment))
  urls.push(...ports.slice(0, 2).map(address))
  t = await openHarness(environment, urls)
  site = await t.codeSite()
}, 120_000)
afterAll(async () => {
  await t?.close()
  await Promise.all(running.map((one) => one.stop()))
  former?.remove()
}, 60_000)

// Four processes and two workers on a small machine: not where a run must be short. It needs the history, too.
test.skipIf(!commit)(
  'F02 the last released version and this one serve the same users at once',
  {
    timeout: 300_000,
  },
  async () => {
    const ledger = await openLedger(t, site, { urls })
    const users = await signSomeIn(t, site, 20)
    const load = keepCalling(rate, ledger.kinds)
    const began = performance.now()
    const next = thisRelease(inject('logFolder'))
    await sleep(1_000)
    await next.migrate(environment)
    // The former version alone on the tables of this one.
    await sleep(phase)
    for (const port of ports.slice(2)) running.push(await next.serve(environment, port))
    running.push(next.work(environment))
    urls.push(...ports.slice(2).map(address))
    const [older, newer] = [address(ports[0]), address(ports[2])]
    const endings = await Promise.all([
      endAcross(t, site, { from: older, to: newer, count: 20 }),
      endAcross(t, site, { from: newer, to: older, count: 20 }),
      sleep(phase),
    ])
    const signedIn = await users.left([older, newer])
    urls.splice(0, 2)
    await sleep(phase)
    const seconds = (performance.now() - began) / 1_000
    await load.stop()
    const { acknowledged, lost, doubled } = await ledger.compare()
    const failed = Object.values(load.counts.failed).reduce((sum, n) => sum + n, 0)
    console.log(
      `F02: ${former.commit} and this version, ${former.steps.length} steps between them, ${seconds.toFixed(0)} s, longest call ${load.counts.longest.toFixed(0)} ms, failed ${JSON.stringify(load.counts.failed, null, 1)}`,
    )
    figure('migrations between two versions that served together', former.steps.length, ['>=', 1])
    figure('calls a second offered to both versions', load.counts.offered / seconds, ['>=', rate * 0.95])
    figure('calls that failed on either version', failed, ['=', 0])
    figure('of 20 users signed in before, signed in at both versions', signedIn, ['=', 20])
    figure('sessions ended at the former version, accepted by this one after 1 s', endings[0], ['=', 0])
    figure('sessions ended at this version, accepted by the former one after 1 s', endings[1], ['=', 0])
    figure('acknowledged writes of both versions', acknowledged, ['>=', 100])
    figure('acknowledged writes lost between versions', lost, ['=', 0])
    figure('writes doubled between versions', doubled, ['=', 0])
  },
)
