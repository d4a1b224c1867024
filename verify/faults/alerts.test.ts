import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { readUser } from '@hufu/contract/merchant-users'
import { changeNickname, userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { solving } from '../../apps/server/test/pow-solution.ts'
import {
  createDatabase,
  fresh,
  sessionOf,
  type TestSite,
  times,
  wideLimits,
  wrongCode,
} from '../../apps/server/test/test-app.ts'
import { webhookSecret } from '../../apps/server/test/webhook-secret.ts'
import { happen } from '../../apps/server/test/webhooks.ts'
import { type Environment, type Running, ready, runHufu } from '../../tools/run/product.ts'
import { demoMail } from '../../tools/simulators/demo-gateways.ts'
import { freePorts } from '../../tools/stores/ports.ts'
import { type Stores, startStores } from '../../tools/stores/stores.ts'
import { alertingAttacks } from '../harness/alerting-attacks.ts'
import { callerOf } from '../harness/callers.ts'
import { killed, shedding } from '../harness/environment.ts'
import { askCode, type Harness, number, openHarness, type User } from '../harness/harness.ts'
import { alertNames, dashboardQueries, type Prometheus, promtool, startPrometheus } from '../harness/prometheus.ts'
import { type Relay, startRelay } from '../harness/relay.ts'
import { openInspector } from './inspector.ts'
import { fakeTime } from './wrong-clock.ts'

/** A process of the product that can be inspected, stopped and started again on the same port. */
interface Place {
  url: string
  metrics: number
  inspected: number
  running: Running
  begin(own?: Environment): Promise<void>
}

async function place(command: 'serve' | 'work', environment: Environment): Promise<Place> {
  const [port = 0, metrics = 0, inspected = 0] = await freePorts(3)
  const url = `http://127.0.0.1:${port}`
  const settings = { ...environment, HUFU_PORT: String(port), HUFU_METRICS_PORT: String(metrics) }
  async function begin(own: Environment = {}) {
    const log = openSync(join(inject('logFolder'), `alerts-${port}.log`), 'a')
    const flags = [`--inspect=127.0.0.1:${inspected}`, '--inspect-publish-uid=http']
    made.running = runHufu(command, { ...settings, ...own }, flags, log)
    closeSync(log)
    await ready(`http://127.0.0.1:${metrics}`, made.running, '/healthz')
  }
  const made: Place = { url, metrics, inspected, running: undefined as unknown as Running, begin }
  await begin()
  return made
}

let stores: Stores
/** Between the third process and what it caches. */
let relay: Relay
let apis: Place[]
let third: Place
let worker: Place
let prometheus: Prometheus
let t: Harness
let site: TestSite
let users: User[]
beforeAll(async () => {
  stores = await startStores()
  const environment = {
    ...inject('environment'),
    ...shedding,
    HUFU_DATABASE_URL: await createDatabase(stores.postgres.url),
    HUFU_REDIS_URL: stores.redis.url,
  }
  relay = await startRelay({ host: '127.0.0.1', port: stores.redis.nodes[0]?.port ?? 0 })
  const [one, two, other, work] = await Promise.all([
    place('serve', environment),
    place('serve', environment),
    place('serve', { ...environment, HUFU_MAX_CALLS: '1', HUFU_REDIS_CACHE_URL: `redis://127.0.0.1:${relay.port}` }),
    place('work', { ...environment, HUFU_INSECURE_HTTP: '1' }),
  ])
  ;[apis, third, worker] = [[one, two], other, work]
  prometheus = await startPrometheus({
    'hufu-api': [one, two, other].map(({ metrics }) => metrics),
    'hufu-work': [work.metrics],
  })
  t = await openHarness(
    environment,
    apis.map(({ url }) => url),
  )
  site = await t.codeSite()
  users = await Promise.all(times(4, async () => t.session(site, (await t.user(site, { password: undefined })).id)))
}, 120_000)
afterAll(async () => {
  await prometheus?.stop()
  await t?.close()
  await Promise.all([...(apis ?? []), third, worker].map((each) => each?.running.stop()))
  await relay?.stop()
  await stores?.stop()
})

const control = (gateway: 'aliyunUrl' | 'tencentUrl', fault: object) =>
  fetch(`${inject(gateway)}/control`, { method: 'POST', body: JSON.stringify(fault) })

const sendCode = () => t.browser(site).call(sendMobileCode, number(fresh.mobile()))

/** Changes something of every user and notifies every process. */
const rename = () =>
  Promise.all(users.map((user) => user.call(changeNickname, { nickname: fresh.username() }).catch(() => {})))

/** All users keep calling their own info. */
async function usualCalls(ms: number): Promise<void> {
  const until = performance.now() + ms
  await Promise.all(
    users.map(async (user) => {
      for (; performance.now() < until; await sleep(20)) await user.call(userInfo).catch(() => {})
    }),
  )
}

async function fires(names: string[], seconds = 20): Promise<void> {
  for (let waited = 0; waited < seconds * 10; waited++) {
    const fired = await prometheus.fired()
    if (names.every((name) => fired.includes(name))) return
    await sleep(100)
  }
  expect(await prometheus.fired()).toEqual(expect.arrayContaining(names))
}

const documented = () =>
  [...readFileSync(join(import.meta.dirname, '../../docs/watching.md'), 'utf8').matchAll(/^\| `(\w+)` /gm)].map(
    ([, name = '']) => name,
  )

test('promtool accepts the rules; every alert has its paragraph', () => {
  expect(promtool()).toContain(`${alertNames().length} rules found`)
  const words = readFileSync(join(import.meta.dirname, '../../docs/watching.md'), 'utf8')
  const headed = [...words.matchAll(/^### (Hufu\w+)$/gm)].map(([, name]) => name)
  expect(headed).toEqual(alertNames())
})

test('while all is well nothing fires; a scrape shows every metric that is documented, and no other', async () => {
  const admin = await callerOf(t, 'merchantRead', site)
  await admin.call(readUser, { id: users[0]?.id ?? '' })
  await t.browser(site).call(loginByPassword, { account: fresh.username(), password: 'Wrong#2026x' })
  await Promise.all([usualCalls(8_000), ...times(5, sendCode)])
  await rename()
  await sleep(2_000)
  // A shared machine is slow now and then, and alerts report it.
  const late = ['HufuSlow', 'HufuEventLoopLate']
  expect((await prometheus.fired()).filter((name) => !late.includes(name))).toEqual([])
  const shown = await prometheus.query('count by (__name__) ({job=~"hufu-.*",__name__=~"hufu_.*|process_.*"})')
  const names = new Set(shown.map(({ labels }) => (labels.__name__ ?? '').replace(/_(bucket|sum|count)$/, '')))
  expect([...names].toSorted()).toEqual(documented().toSorted())
  const empty: string[] = []
  for (const query of dashboardQueries()) if ((await prometheus.query(query)).length === 0) empty.push(query)
  expect(empty).toEqual([])
})

test('what is done to a site: every alert of hufu-security', async () => {
  const attacked = await t.codeSite()
  for (const attack of Object.values(alertingAttacks)) await attack(t, attacked)
  await fires(Object.keys(alertingAttacks), 40)
})

test('a gateway for texts that is silent: HufuSlow, HufuTextsFailing, HufuBreakerOpen, HufuMessagesGivenUp', async () => {
  await control('aliyunUrl', { mode: 'hang' })
  await Promise.all(times(40, sendCode))
  await fires(['HufuSlow', 'HufuTextsFailing', 'HufuBreakerOpen', 'HufuMessagesGivenUp'])
  await control('aliyunUrl', { mode: 'ok' })
})

test('a site that has used most of its texts: HufuTextsSpent', async () => {
  const small = await t.codeSite({ limits: { ...wideLimits, siteDay: 10 } })
  // Unknown visitors need a proof of work for the last of them.
  for (const mobile of times(7, fresh.mobile)) {
    const browser = t.browser(small)
    await solving((proof) => browser.call(sendMobileCode, { ...number(mobile), proof }))
  }
  await fires(['HufuTextsSpent'])
})

test('a forged session in Redis: HufuCacheForged', async () => {
  const user = users[0] as User
  const key = `{${site.id}:${user.id}}:s2:${sessionOf(user)}`
  await t.deps.cache.set(key, JSON.stringify({ id: sessionOf(user) }), 'EX', 10)
  await user.call(userInfo)
  await fires(['HufuCacheForged'])
})

test('A53 a site where codes are guessed: HufuCodesGuessed', async () => {
  const guessed = await t.codeSite({ limits: { ...wideLimits, wrongCodesHour: 3 } })
  for (const mobile of times(3, fresh.mobile)) {
    const browser = t.browser(guessed)
    const code = wrongCode(await askCode(browser, mobile))
    expect((await browser.call(loginByMobile, { ...number(mobile), code })).code).toBe('CODE_WRONG')
  }
  await fires(['HufuCodesGuessed'])
})

test('a silent mail server: HufuJobsWaiting, HufuJobsGivenUp', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const mute = await t.codeSite({ mail: demoMail((silent.address() as AddressInfo).port) })
  const notice = { siteId: mute.id, to: fresh.email(), subject: 'x', text: 'x', id: 'x' }
  // Queued ten minutes ago, more than run at once, and for the last time.
  await t.deps.pool.query(
    `INSERT INTO pgboss.job (name, data, retry_limit, start_after)
      SELECT 'mail-notice', $1, 0, now() - interval '10 minutes' FROM generate_series(1, 200)`,
    [JSON.stringify(notice)],
  )
  await fires(['HufuJobsWaiting', 'HufuJobsGivenUp'], 40)
  silent.close()
})

test('no position for an event: HufuEventsUnnumbered; an endpoint that is gone: HufuWebhookDisabled', async () => {
  const gone = createHttpServer((_request, response) => response.writeHead(410).end()).listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`
  const wired = await t.codeSite({ webhooks: [{ id: 'gone', url, secret: webhookSecret() }] })
  await happen(t.deps, wired, randomUUID(), 'nickname')
  await fires(['HufuWebhookDisabled'], 40)
  gone.close()
  // Numbering waits for the head of the site.
  const holding = await t.deps.pool.connect()
  await holding.query('BEGIN')
  await holding.query('SELECT FROM event_head WHERE site_id = $1 FOR UPDATE', [wired.id])
  await t.deps.pool.query(
    "INSERT INTO event (site_id, type, data, at) VALUES ($1, 'user.updated', '{}', now() - interval '10 minutes')",
    [wired.id],
  )
  await fires(['HufuEventsUnnumbered'], 40)
  await holding.query('ROLLBACK')
  holding.release()
})

test('no place for calls: HufuRefusing; a late event loop: HufuEventLoopLate', async () => {
  const { cookies } = users[0] as User
  const browsers = times(100, () => t.browser(site, { urls: [third.url] }))
  for (const browser of browsers) for (const [name, value] of cookies) browser.cookies.set(name, value)
  for (const _ of times(10, () => 0)) await Promise.all(browsers.map((browser) => browser.call(userInfo)))
  await fires(['HufuRefusing'])
  const { child } = third.running
  for (let stopped = 0; stopped < 4; stopped++) {
    child.kill('SIGSTOP')
    await sleep(4_000)
    child.kill('SIGCONT')
    await sleep(1_500)
  }
  await fires(['HufuEventLoopLate'])
})

test('a slow way to Redis: HufuEventsLate', async () => {
  const slow = await t.session(site, users[0]?.id as User['id'], { urls: [third.url] })
  relay.delay = 1_500
  for (const _ of times(3, () => 0)) await slow.call(changeNickname, { nickname: fresh.username() })
  await fires(['HufuEventsLate'])
  relay.delay = 0
})

test('a process that holds too much: HufuMemory', async () => {
  const inspector = await openInspector(third.inspected, third.running.child.pid ?? 0)
  await inspector.evaluate('void (globalThis.kept = Buffer.alloc(600 * 1024 * 1024, 1))')
  await fires(['HufuMemory'])
  inspector.close()
})

test('a long query of another client: HufuDatabaseBusy', async () => {
  const many = await Promise.all(times(60, () => t.session(site, users[0]?.id as User['id'])))
  const client = new Client({ connectionString: t.deps.config.databaseUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE users, session IN ACCESS EXCLUSIVE MODE')
  try {
    for (const _ of times(10, () => 0)) await Promise.all(many.map((user) => user.call(userInfo)))
    await fires(['HufuDatabaseBusy'])
  } finally {
    await client.end()
  }
})

test('Redis is away: HufuRedisAway, HufuCacheMissing, HufuFailing', async () => {
  await stores.redis.kill()
  const until = performance.now() + 20_000
  const failing = async () => {
    for (; performance.now() < until; await sleep(50)) await sendCode().catch(() => {})
  }
  await Promise.all([usualCalls(20_000), failing(), fires(['HufuRedisAway', 'HufuCacheMissing', 'HufuFailing'], 40)])
  await stores.redis.start()
})

test('PostgreSQL is away: HufuDatabaseAway, HufuFiguresUnwritten', async () => {
  await stores.postgres.kill()
  await fires(['HufuDatabaseAway', 'HufuFiguresUnwritten'], 60)
  await stores.postgres.start()
})

test('a wrong clock: HufuClockWrong; a process that ends again and again: HufuDown, HufuRestarting', async () => {
  for (let begun = 0; begun < 3; begun++) {
    await killed(third.running)
    await sleep(1_500)
    await third.begin(begun === 2 ? fakeTime(300) : {})
    await sleep(4_000)
  }
  await fires(['HufuDown', 'HufuRestarting', 'HufuClockWrong'])
})

test('no worker: HufuNoWorker; by now every alert has fired', async () => {
  await worker.running.stop()
  await fires(['HufuNoWorker'])
  expect(await prometheus.fired()).toEqual(alertNames().toSorted())
})
