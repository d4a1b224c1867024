import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevice } from '@hufu/contract/devices'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDatabase, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type RedisStore, startRedisCluster } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, shedding, startApi } from '../harness/environment.ts'
import { type Harness, openHarness, short, type User } from '../harness/harness.ts'
import { hammer } from './hammer.ts'

// Needs half a minute and a cluster: only in the full form.
const full = test.skipIf(short)

let folder: string
let cluster: RedisStore
let apis: Api[] = []
let t: Harness
let site: TestSite
beforeAll(async () => {
  if (short) return
  folder = makeTemporaryFolder('a20')
  cluster = await startRedisCluster(folder)
  const own = { HUFU_REDIS_URL: cluster.url, HUFU_DATABASE_URL: await createDatabase() }
  const environment = { ...inject('environment'), ...shedding, ...own }
  apis = await Promise.all(times(2, () => startApi(environment, inject('logFolder'))))
  t = await openHarness(
    environment,
    apis.map(({ url }) => url),
  )
  site = await t.codeSite()
}, 120_000)
afterAll(async () => {
  if (short) return
  await t.close()
  await Promise.all(apis.map((api) => api.stop()))
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})

const redis = (port: number, ...words: string[]) =>
  execFileSync('redis-cli', ['-c', '-p', String(port), ...words], { encoding: 'utf8' }).trim()
const alone = (port: number, ...words: string[]) =>
  execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' }).trim()
const pidOf = (port: number) => Number(/process_id:(\d+)/.exec(alone(port, 'info', 'server'))?.[1])

/** The primary that holds a key, and its replica. */
function holders(key: string): { primary: number; replica: number } {
  const [first] = cluster.nodes
  const slot = Number(redis(first?.port ?? 0, 'cluster', 'keyslot', key))
  const lines = redis(first?.port ?? 0, 'cluster', 'nodes').split('\n')
  const parts = lines.map((line) => line.split(' '))
  const holds = (range: string) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return from <= slot && slot <= to
  }
  const portOf = (address = '') => Number(/:(\d+)@/.exec(address)?.[1])
  const primary = parts.find(([, , role = '', ...rest]) => role.includes('master') && rest.slice(5).some(holds))
  const replica = parts.find(([, , , of]) => of === primary?.[0])
  return { primary: portOf(primary?.[1]), replica: portOf(replica?.[1]) }
}

/** The replica receives nothing of what happens meanwhile, not even later, and then takes over. */
async function loseLatest(primary: number, replica: number, meanwhile: () => Promise<void>): Promise<void> {
  const pid = pidOf(replica)
  process.kill(pid, 'SIGSTOP')
  try {
    alone(primary, 'client', 'kill', 'type', 'replica')
    await meanwhile()
    await cluster.nodes.find(({ port }) => port === primary)?.kill()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** A replica that has never followed its primary won't take its place. */
async function follows(replica: number): Promise<void> {
  await expect.poll(() => alone(replica, 'info', 'replication'), { timeout: 20_000 }).toContain('master_link_status:up')
}

async function promoted(replica: number): Promise<void> {
  await expect.poll(() => alone(replica, 'role').split('\n')[0], { timeout: 20_000, interval: 100 }).toBe('master')
}

const keyOf = (user: User) => `{${site.id}:${user.id}}:s2:${sessionOf(user)}`

full(
  'A20 when Redis fails over and forgets the removal, the session is refused after 30 seconds for sure',
  async () => {
    const { id } = await t.user(site)
    const [victim, own] = [await t.session(site, id), await t.session(site, id)]
    const { primary, replica } = holders(keyOf(victim))
    await follows(replica)
    expect((await victim.call(userInfo)).status).toBe(200)
    await expect.poll(() => redis(primary, 'get', keyOf(victim))).not.toBe('')
    await sleep(200)
    let removed = 0
    await loseLatest(primary, replica, async () => {
      expect((await own.call(removeDevice, { id: sessionOf(victim) })).status).toBe(200)
      removed = performance.now()
    })
    await promoted(replica)
    const load = hammer(
      times(4, () => victim),
      20,
    )
    const forgotten = alone(replica, 'get', keyOf(victim))
    await sleep(Math.max(0, removed + 31_000 - performance.now()))
    const { accepted } = await load.stop()
    const last = (Math.max(removed, ...accepted) - removed) / 1_000
    console.log(`A20: the replica that took over held ${forgotten.slice(0, 60)}; ${accepted.length} accepted`)
    // Both processes have received the removal, so that they may refuse the copy before it expires.
    expect(forgotten.length, 'the replica holds a copy, not the tombstone').toBeGreaterThan(1)
    figure('with Redis failed over, last accepted after', last, ['<=', 30], 's')
    expect((await victim.call(userInfo)).code).toBe('SESSION_REMOVED')
    expect((await own.call(userInfo)).status).toBe(200)
  },
)
