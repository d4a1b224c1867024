import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDatabase, type TestSite } from '../../apps/server/test/test-app.ts'
import { freePorts } from '../../tools/stores/ports.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { deliveredProxy, type Nginx, runNginx } from '../harness/nginx.ts'
import { type NextRelease, nextRelease, type Served, thisRelease } from '../harness/releases.ts'
import { openStream } from '../harness/stream.ts'
import { openLedger } from './rolling-ledger.ts'
import { keepCalling } from './rolling-load.ts'

const rounds = few(10, 2)
const rate = 300
/** Longer than the proxy's fail_timeout: it uses a process again before the next one goes. */
const between = 2_000

let environment: Record<string, string>
let ports: number[]
let apis: Served[]
let worker: Served
/** One folder each, as with unpacked releases: a process that still starts must not find the migrations of the next. */
let versions: NextRelease[]
let nginx: Nginx
let t: Harness
let site: TestSite
beforeAll(async () => {
  environment = { ...inject('environment'), ...shedding, HUFU_DATABASE_URL: await createDatabase() }
  ports = await freePorts(2)
  const old = thisRelease(inject('logFolder'))
  versions = Array.from({ length: rounds }, (_, round) => nextVersion(round))
  apis = await Promise.all(ports.map((port) => old.serve(environment, port)))
  worker = old.work(environment)
  nginx = await runNginx(deliveredProxy(ports))
  t = await openHarness(
    environment,
    ports.map((port) => `http://127.0.0.1:${port}`),
  )
  site = await t.codeSite()
}, 240_000)
afterAll(async () => {
  await t?.close()
  await nginx?.stop()
  await Promise.all([...(apis ?? []), worker].map((one) => one?.stop()))
  for (const version of versions ?? []) version.remove()
})

const steps = (round: number): [string, string][] => [
  [
    `${9_000 + round * 2}_more_columns.sql`,
    `ALTER TABLE users ADD COLUMN rolled_${round} text NOT NULL DEFAULT 'x';
     ALTER TABLE session ADD COLUMN rolled_${round} integer NOT NULL DEFAULT 0;
     ALTER TABLE feedback ADD COLUMN rolled_${round} jsonb;
     ALTER TABLE feedback_entry ADD COLUMN rolled_${round} boolean NOT NULL DEFAULT false;
     CREATE TABLE rolled_${round} (site_id uuid NOT NULL, id uuid NOT NULL, PRIMARY KEY (site_id, id));`,
  ],
  [
    `${9_001 + round * 2}_one_more_index.sql`,
    `-- no transaction
DROP INDEX CONCURRENTLY IF EXISTS entry_rolled_${round};
CREATE INDEX CONCURRENTLY entry_rolled_${round} ON feedback_entry (site_id, rolled_${round});
`,
  ],
]

/** With the steps of all rounds until then, as a tree grows. */
function nextVersion(round: number): NextRelease {
  const version = nextRelease(inject('logFolder'))
  const all = Array.from({ length: round + 1 }, (_, each) => steps(each)).flat()
  for (const [name, sql] of all) version.addMigration(name, sql)
  return version
}

/** A long read, such as a dump, while the migration needs an exclusive lock on the tables. */
async function longReader(ms: number): Promise<void> {
  const client = new Client({ connectionString: environment.HUFU_DATABASE_URL })
  await client.connect()
  await client.query('BEGIN; SELECT count(*) FROM users; SELECT count(*) FROM feedback')
  await sleep(ms)
  await client.end()
}

/** As two deployments at once would: both must come to an end. */
async function migrateUnderLoad(next: NextRelease): Promise<void> {
  const reading = longReader(2_000)
  await Promise.all([next.migrate(environment), next.migrate(environment), reading])
}

interface Stopped {
  seconds: number
  code: number | null
}

/** One after the other; how long each took to stop. */
async function replaceAll(next: NextRelease): Promise<Stopped[]> {
  const stopped: Stopped[] = []
  for (const [at, port] of ports.entries()) {
    stopped.push(await (apis[at] as Served).replaced())
    apis[at] = await next.serve(environment, port)
    await sleep(between)
  }
  stopped.push(await worker.replaced())
  worker = next.work(environment)
  return stopped
}

/** Pages with their event streams, which come back as browsers do. */
function keepListening(users: User[]) {
  const counts = { opened: 0, refused: 0 }
  const running = { going: true }
  async function listen(user: User) {
    while (running.going) {
      const stream = await openStream(site, user, nginx.url).catch(() => undefined)
      counts.opened++
      if (stream?.status !== 200) counts.refused++
      while (running.going && stream && stream.endedAt === undefined) await sleep(50)
      stream?.close()
      if (running.going) await sleep(2_000)
    }
  }
  const work = Promise.all(users.map(listen))
  async function stop() {
    running.going = false
    await work
  }
  return { counts, stop }
}

const jobs = async (states: string) => {
  const { rows } = await t.deps.pool.query(`SELECT count(*)::int AS n FROM pgboss.job WHERE state IN (${states})`)
  return rows[0].n as number
}

test('F02 a rolling restart with migrations under load loses no call', { timeout: 900_000 }, async () => {
  const ledger = await openLedger(t, site, { urls: [nginx.url] })
  const streams = keepListening(ledger.users.slice(0, 8))
  const load = keepCalling(rate, ledger.kinds)
  const began = performance.now()
  const stopped: Stopped[] = []
  for (const next of versions) {
    await migrateUnderLoad(next)
    // The former version on the tables of the next.
    await sleep(1_000)
    stopped.push(...(await replaceAll(next)))
  }
  const seconds = (performance.now() - began) / 1_000
  await load.stop()
  await streams.stop()
  const { counts } = load
  console.log(
    `F02: ${rounds} rounds in ${seconds.toFixed(0)} s, longest call ${counts.longest.toFixed(0)} ms, failed ${JSON.stringify(counts.failed, null, 1)}, ${streams.counts.opened} streams opened`,
  )
  await expect.poll(() => jobs("'created', 'retry', 'active'"), { timeout: 60_000, interval: 500 }).toBe(0)
  const { acknowledged, lost, doubled } = await ledger.compare()
  const failed = Object.values(counts.failed).reduce((sum, n) => sum + n, 0)
  figure('calls a second offered', counts.offered / seconds, ['>=', rate * 0.95])
  figure('calls failed', failed, ['=', 0])
  figure('acknowledged writes', acknowledged, ['>=', rounds * 100])
  figure('acknowledged writes lost', lost, ['=', 0])
  figure('writes doubled', doubled, ['=', 0])
  figure('event streams refused', streams.counts.refused, ['=', 0])
  figure('longest until drained', Math.max(...stopped.map((one) => one.seconds)), ['<=', 10], 's')
  figure('processes that ended in disorder', stopped.filter(({ code }) => code !== 0).length, ['=', 0])
  figure('jobs that failed for good', await jobs("'failed'"), ['=', 0])
})
