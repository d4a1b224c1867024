import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByMobile } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { hufu, type Running, runHufu } from '../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type Postgres, startPostgres } from '../../tools/stores/postgres.ts'
import { type RedisStore, startRedis } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { type BackupScripts, backupScripts } from '../harness/backup-scripts.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { askCode, few, type Harness, number, openHarness, type User } from '../harness/harness.ts'
import { differing, type Fingerprint, fingerprint, fingerprintOf, noteMoment, rowsOf } from './backup-compare.ts'
import { fill } from './backup-set.ts'
import { type Ledger, openLedger } from './rolling-ledger.ts'
import { keepCalling } from './rolling-load.ts'

const users = few(1_000_000, 20_000)
/** These depend on the disk: the times are printed. */
const asDelivered = { fsync: 'on', full_page_writes: 'on', maintenance_work_mem: '256MB', max_wal_size: '4GB' }

let folder: string
let scripts: BackupScripts
let postgres: Postgres
let environment: Record<string, string>
let api: Api
let worker: Running
let t: Harness
let site: TestSite
let gigabytes: number
const parts: { stop(): Promise<void> }[] = []
beforeAll(async () => {
  folder = makeTemporaryFolder('backup')
  chmodSync(folder, 0o755)
  scripts = backupScripts(folder)
  postgres = await startPostgres(folder, asDelivered)
  parts.push(postgres)
  await asked(`${postgres.url}postgres`, 'CREATE DATABASE hufu')
  environment = { ...inject('environment'), HUFU_DATABASE_URL: `${postgres.url}hufu` }
  await hufu(environment, ['migrate'])
  api = await startApi(environment, inject('logFolder'))
  worker = runHufu('work', { ...environment, HUFU_LOG_LEVEL: 'silent' })
  t = await openHarness(environment, [api.url])
  parts.push(api, worker, { stop: () => t.close() })
  site = await t.codeSite()
  await fill(t.deps, site.id, users)
  gigabytes =
    Number((await asked(environment.HUFU_DATABASE_URL ?? '', 'SELECT pg_database_size($1) AS n', ['hufu'])).n) / 2 ** 30
}, 1_200_000)
afterAll(async () => {
  // First, so that nothing waits for what it still does.
  await postgres?.kill()
  for (const part of parts.toReversed()) await part.stop()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

async function asked(url: string, text: string, values: unknown[] = []) {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text, values).finally(() => client.end())
  return rows[0]
}

interface Kept {
  base: string
  dump: string
  at: string
  /** How everything stood at that moment, and which messages were acknowledged by then. */
  print: Fingerprint
  keys: string[]
  seconds: { base: number; dump: number }
}

/** A copy while users write, a moment that is noted, and a dump of that very moment while they go on. */
async function keep(ledger: Ledger): Promise<Kept> {
  const { printed: base, seconds } = await scripts.run('backup.sh', [scripts.folder], postgres.port)
  await sleep(1_000)
  const keys = ledger.acknowledgedKeys()
  const { at, snapshot, reader } = await noteMoment(environment.HUFU_DATABASE_URL ?? '')
  const dump = await scripts.run('dump.sh', [scripts.folder, `--snapshot=${snapshot}`], postgres.port)
  const print = await fingerprint(reader)
  await reader.end()
  return { base, dump: dump.printed, at, print, keys, seconds: { base: seconds, dump: dump.seconds } }
}

/** The server with all its data is gone while users write. */
async function destroy(): Promise<void> {
  await postgres.kill()
  rmSync(join(folder, 'postgres'), { recursive: true })
}

async function restored(data: string, { base, at }: Kept): Promise<{ server: Postgres; seconds: number }> {
  const began = performance.now()
  await scripts.run('restore.sh', [base, join(scripts.folder, 'wal'), join(data, 'postgres'), at])
  const server = await startPostgres(data, asDelivered)
  parts.push(server)
  const recovering = async () => (await asked(`${server.url}hufu`, 'SELECT pg_is_in_recovery() AS yes')).yes
  while (await recovering()) await sleep(50)
  return { server, seconds: (performance.now() - began) / 1_000 }
}

/** The product on what came back, with an empty Redis: an old session, and a code through a gateway whose secret is sealed. */
async function useAgain(url: string, old: User): Promise<{ session: number; signIn: number }> {
  const redisFolder = join(folder, 'redis')
  mkdirSync(redisFolder)
  const redis: RedisStore = await startRedis(redisFolder)
  parts.push(redis)
  const again = await startApi(
    { ...environment, HUFU_DATABASE_URL: url, HUFU_REDIS_URL: redis.url },
    inject('logFolder'),
  )
  parts.push(again)
  const browser = t.browser(site, { urls: [again.url] })
  for (const [name, value] of old.cookies) browser.cookies.set(name, value)
  const session = await browser.call(userInfo)
  const visitor = t.browser(site, { urls: [again.url] })
  const mobile = fresh.mobile()
  const signIn = await visitor.call(loginByMobile, { ...number(mobile), code: await askCode(visitor, mobile) })
  return { session: session.status, signIn: signIn.status }
}

async function missing(url: string, keys: string[]): Promise<number> {
  const { n } = await asked(
    url,
    'SELECT count(*)::int AS n FROM feedback_entry WHERE site_id = $1 AND client_key = ANY($2)',
    [site.id, keys],
  )
  return keys.length - n
}

test('F16 a lost server is restored to a point in time, row by row', { timeout: 1_800_000 }, async () => {
  const wal = scripts.start('keep-wal.sh', [scripts.folder], postgres.port)
  parts.push(wal)
  const ledger = await openLedger(t, site, {})
  const load = keepCalling(40, ledger.kinds)
  const kept = await keep(ledger)
  const later = ledger.acknowledgedKeys().length
  await destroy()
  await Promise.all([load.stop(), wal.stop(), worker.stop(), api.stop()])
  expect(later, 'users went on after the moment').toBeGreaterThan(kept.keys.length)

  const { server, seconds } = await restored(join(scripts.folder, 'again'), kept)
  const differ = differing(kept.print, await fingerprintOf(`${server.url}hufu`))
  const lost = await missing(`${server.url}hufu`, kept.keys)
  const dumped = await scripts.run('restore-dump.sh', [kept.dump, 'from_dump'], server.port)
  const dumpDiffer = differing(kept.print, await fingerprintOf(`${server.url}from_dump`))
  const [old] = ledger.users
  const used = await useAgain(`${server.url}hufu`, old as User)

  console.log(
    `F16: ${users} users, ${gigabytes.toFixed(2)} GB: base ${kept.seconds.base.toFixed(1)} s, back at the moment ${seconds.toFixed(1)} s, dump ${kept.seconds.dump.toFixed(1)} s, dump restored ${dumped.seconds.toFixed(1)} s; differ ${differ.tables} ${dumpDiffer.tables}`,
  )
  figure('rows compared', rowsOf(kept.print), ['>=', users * 8])
  figure('rows that differ at the moment', differ.rows, ['=', 0])
  figure('rows that differ from the dump', dumpDiffer.rows, ['=', 0])
  figure('acknowledged writes before the moment', kept.keys.length, ['>=', 10])
  figure('of these lost', lost, ['=', 0])
  figure('old session answered', used.session, ['=', 200])
  figure('sign-in through sealed secrets answered', used.signIn, ['=', 200])
  figure('minutes a GB: base backup', kept.seconds.base / 60 / gigabytes, ['<=', 10 * leeway])
  figure('minutes a GB: back at the moment', seconds / 60 / gigabytes, ['<=', 10 * leeway])
  figure('minutes a GB: dump', kept.seconds.dump / 60 / gigabytes, ['<=', 10 * leeway])
  figure('minutes a GB: dump restored', dumped.seconds / 60 / gigabytes, ['<=', 10 * leeway])
})
