import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createWriteStream } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { hashApart } from '../../apps/server/src/platform/crypto/password-hash.ts'
import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { artefact, buildIn } from '../../tools/run/build.ts'
import type { Environment } from '../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { withLoadConnection } from './load-connection.ts'
import { post } from './post.ts'
import { code, prepareNumbers } from './sign-in.ts'

const host = 'id.example.com'
const rounds = 3
/** Of a throttled import beside traffic: above what has to be reached. */
const rate = 1_200
/** Sign-ins a second, one after the other. */
const signInsPerSecond = 25

const bcrypt = '$2b$10$WPs2XWNuaOMoCHzweji8LenYpYQftR5LE/9rL9ERPqXf4.W4ZyHjm'
const digest = createHash('md5').update('password').digest('hex')
/** After those that sign in during the bench. */
const firstNumber = 15_000_000_000
const start = Date.UTC(2015, 0)

function lineOf(n: number, wrapped: boolean): string {
  const row = {
    createdAt: new Date(start + n * 10).toISOString(),
    nickname: `小明${n}`,
    mobilePrefix: '86',
    mobile: String(firstNumber + n),
    mobileVerifiedAt: '2026-06-01T00:00:00Z',
    ...(n % 3 === 0 && { email: `person${n}@example.com` }),
    ...(n % 5 === 0 && { username: `user${n}` }),
    ...(wrapped ? { passwordHash: digest, passwordAlgorithm: 'md5(password)' } : { passwordHash: bcrypt }),
  }
  return `${JSON.stringify(row)}\n`
}

async function writeRows(path: string, from: number, count: number, wrapped = false): Promise<string> {
  const out = createWriteStream(path)
  for (let n = from; n < from + count; n += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, from + count - n) }, (_, index) => lineOf(n + index, wrapped))
    if (!out.write(lines.join(''))) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  return path
}

function startImport(environment: Environment, path: string, flags: string[] = []): ChildProcess {
  const args = ['users', 'import', host, path, '--report', `${path}.refused.jsonl`, ...flags]
  const command = buildIn(artefact ?? process.cwd()).command(args)
  const bound = boundToParent(command.program, command.args)
  return spawn(...bound, { cwd: command.cwd, env: { ...command.env, ...environment }, stdio: ['ignore', 'ignore', 2] })
}

async function ended(child: ChildProcess): Promise<void> {
  const [status] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  if (status !== 0) throw new Error(`the import ended with ${status}`)
}

/** Seconds that a whole import takes, from the start of the command to its end. */
async function timeImport(environment: Environment, path: string): Promise<number> {
  const began = performance.now()
  await ended(startImport(environment, path))
  return (performance.now() - began) / 1000
}

interface Place {
  environment: Environment
  deps: Deps
  site: SiteId
}

async function makePlace(bench: BenchGround, name: string): Promise<Place> {
  const environment = { ...(await bench.database(name)), HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
  const deps = await bench.deps(environment)
  return { environment, deps, site: await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench') }
}

async function countUsers({ deps, site }: Place): Promise<number> {
  const { rows } = await deps.pool.query('SELECT count(*)::int AS count FROM users WHERE site_id = $1', [site])
  return rows[0].count
}

async function requireCount(place: Place, expected: number): Promise<void> {
  const count = await countUsers(place)
  if (count !== expected) throw new Error(`${count} users instead of ${expected}`)
}

const tables = ['users', 'user_identity', 'credential', 'identity']

/** Seconds that COPY takes for the same rows into the same tables with the same indexes: the floor of any import. */
async function timeCopy(bench: BenchGround, from: Place, folder: string): Promise<number> {
  const to = await makePlace(bench, 'copied')
  await withLoadConnection(from.deps.config, async (client) => {
    for (const table of tables) await client.query(`COPY ${table} TO '${join(folder, table)}'`)
  })
  let seconds = 0
  await withLoadConnection(to.deps.config, async (client) => {
    const began = performance.now()
    for (const table of tables) await client.query(`COPY ${table} FROM '${join(folder, table)}'`)
    seconds = (performance.now() - began) / 1000
  })
  return seconds
}

async function speed(bench: BenchGround, folder: string, count: number): Promise<Figure[]> {
  const place = await makePlace(bench, 'imported')
  const path = await writeRows(join(folder, 'all.jsonl'), 0, count)
  const imported = await timeImport(place.environment, path)
  await requireCount(place, count)
  const copied = await timeCopy(bench, place, folder)
  const from = `${count} rows in ${imported.toFixed(1)} s, COPY ${copied.toFixed(1)} s`
  return [
    { name: 'import without wrapping and traffic, rows/s', value: count / imported, limit: ['>=', 5_000], from },
    { name: 'import against COPY into the same tables, rows/s', value: copied / imported, limit: ['>=', 0.2], from },
  ]
}

/** Killed three times on the way: rows lost, doubled or counted wrongly. */
async function kills(bench: BenchGround, folder: string, count: number): Promise<Figure[]> {
  const place = await makePlace(bench, 'killed')
  const { deps, environment } = place
  const path = await writeRows(join(folder, 'killed.jsonl'), 0, count)
  const progress = async () =>
    (await deps.pool.query('SELECT lines::int, imported::int, refused::int FROM user_import')).rows[0] ?? { lines: 0 }
  let wrong = 0
  for (const part of [0.2, 0.5, 0.8]) {
    const running = startImport(environment, path)
    while ((await progress()).lines < part * count) await sleep(5)
    const gone = once(running, 'exit')
    running.kill('SIGKILL')
    await gone
    // The server rolls back what was open.
    await sleep(1_000)
    wrong += Math.abs((await countUsers(place)) - (await progress()).imported)
  }
  await ended(startImport(environment, path))
  const { imported, refused } = await progress()
  wrong += Math.abs((await countUsers(place)) - count) + Math.abs(imported - count) + refused
  return [
    { name: 'rows lost, doubled or miscounted by three kills', value: wrong, limit: ['=', 0], from: `${count} rows` },
  ]
}

/** Sign-ins by code at a steady pace; the median of their times. */
async function signIns(url: string, numbers: string[]): Promise<number> {
  const times: number[] = []
  for (const [index, mobile] of numbers.entries()) {
    const headers = { host, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `20.${index % 250}.${index >> 8}.1` }
    const began = performance.now()
    const { status } = await post(
      `${url}/api/login/mobile`,
      headers,
      JSON.stringify({ mobilePrefix: '86', mobile, code }),
    )
    times.push(performance.now() - began)
    if (status !== 200) throw new Error(`a sign-in was answered ${status}`)
    await sleep(Math.max(0, 1000 / signInsPerSecond - (performance.now() - began)))
  }
  return median(times)
}

async function besideTraffic(bench: BenchGround, folder: string, seconds: number): Promise<Figure[]> {
  const place = await makePlace(bench, 'beside')
  const { url } = await bench.server(place.environment)
  const each = signInsPerSecond * Math.max(seconds, 5)
  const numbers = await prepareNumbers(place.deps, place.site, 0, each * (rounds * 2 + 1))
  const take = () => numbers.splice(0, each)
  await signIns(url, take())
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await signIns(url, take())
    const rows = rate * Math.max(seconds, 5) * 4
    const path = await writeRows(join(folder, `beside-${round}.jsonl`), round * rows, rows)
    const before = await countUsers(place)
    const running = startImport(place.environment, path, ['--rate', String(rate)])
    while ((await countUsers(place)) === before) await sleep(20)
    const [began, at] = [performance.now(), await countUsers(place)]
    const beside = await signIns(url, take())
    rates.push(((await countUsers(place)) - at) / ((performance.now() - began) / 1000))
    ratios.push(beside / alone)
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  return [
    { name: 'import beside sign-ins, rows/s', value: median(rates), limit: ['>=', 1_000] },
    { name: 'sign-in by code beside an import, median time', value: median(ratios), limit: ['<=', 1.5] },
  ]
}

async function wrapping(bench: BenchGround, folder: string, count: number): Promise<Figure[]> {
  const place = await makePlace(bench, 'wrapped')
  const path = await writeRows(join(folder, 'wrapped.jsonl'), 0, count, true)
  const imported = await timeImport(place.environment, path)
  await requireCount(place, count)
  const began = performance.now()
  const lanes = Array.from({ length: availableParallelism() }, async (_, lane) => {
    for (let n = lane; n < count / 4; n += availableParallelism()) await hashApart(digest)
  })
  await Promise.all(lanes)
  const bare = count / 4 / ((performance.now() - began) / 1000)
  const from = `${(count / imported).toFixed(0)} rows/s, ${bare.toFixed(0)} hashes/s`
  return [
    {
      name: 'import of digests that are wrapped against bare argon2, rows/s',
      value: count / imported / bare,
      limit: ['>=', 0.6],
      from,
    },
  ]
}

/** `pnpm bench import 10000000`: users from a file. */
export default async function importBench(seconds: number, [count = '1000000']: string[] = []): Promise<Figure[]> {
  const bench = await layBenchGround()
  const folder = makeTemporaryFolder('bench-import')
  // The server of the database writes here.
  chmodSync(folder, 0o777)
  try {
    return [
      ...(await speed(bench, folder, Number(count))),
      ...(await kills(bench, folder, Math.ceil(Number(count) / 10))),
      ...(await besideTraffic(bench, folder, seconds)),
      ...(await wrapping(bench, folder, 2_000)),
    ]
  } finally {
    await bench.stop()
  }
}
