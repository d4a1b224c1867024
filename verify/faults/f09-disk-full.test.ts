import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listFeedback, sendFeedback } from '@hufu/contract/feedback'
import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, test } from 'vitest'
import { createDatabase, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { asItsUser, type Postgres, postgresPrograms, startPostgres } from '../../tools/stores/postgres.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few, type User } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { beginTalks, disagreements, keepTalking, summaryOf } from './message-ledger.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const rounds = few(3, 1)

let disk: SmallDisk
let postgres: Postgres
let databaseUrl: string
let product: OwnProduct
let t: OwnProduct['t']
/** The ledger knows everything on its site; those who try what works have another. */
let site: TestSite
let other: TestSite
beforeAll(async () => {
  disk = mountSmallDisk(320)
  // Few segments are kept for later, so that the log runs out of room as well.
  postgres = await startPostgres(disk.folder, { min_wal_size: '32MB', max_wal_size: '48MB', shared_buffers: '32MB' })
  databaseUrl = await createDatabase(postgres.url)
  product = await startOwnProduct({ ...shedding, HUFU_DATABASE_URL: databaseUrl })
  ;({ t } = product)
  site = await t.codeSite()
  other = await t.codeSite()
})
afterAll(async () => {
  await product?.stop()
  await postgres?.stop()
  disk?.remove()
})

/** The responses to users in the meantime, by what they did. */
type Outcomes = Record<'reading' | 'writing' | 'signing in' | 'opening', string[]>

const answer = ({ status, code }: { status: number; code: string | undefined }) => `${status} ${code ?? ''}`.trim()

/** A signed-in user, and users who sign in one after the other. */
interface Crowd {
  user: User
  arrivals: { username: string; password: string }[]
}

const crowd = async (): Promise<Crowd> => ({
  user: await t.session(other, (await t.user(other)).id),
  arrivals: await Promise.all(times(8, () => t.user(other))),
})

async function everything({ user, arrivals }: Crowd, outcomes: Outcomes): Promise<void> {
  const { username, password } = arrivals[outcomes.writing.length % arrivals.length] ?? { username: '', password: '' }
  const [read, listed, written, entered, opened] = await Promise.all([
    user.call(userInfo),
    user.call(listFeedback, {}),
    user.call(sendFeedback, { message: '装不下'.repeat(600) }),
    t.browser(other).call(loginByPassword, { account: username, password }),
    user.call(meta),
  ])
  outcomes.reading.push(answer(read), answer(listed))
  outcomes.writing.push(answer(written))
  outcomes['signing in'].push(answer(entered))
  outcomes.opening.push(answer(opened))
}

/** Goes on until writing fails, and a while more. */
async function whileFull(users: Crowd, outcomes: Outcomes): Promise<void> {
  const before = outcomes.writing.length
  for (let after = 0; after < 20; ) {
    await everything(users, outcomes)
    if (outcomes.writing.at(-1) !== '200') after++
    if (outcomes.writing.length - before > 2_000) throw new Error('the disk was never full')
  }
}

/** The log needs a new segment and there is no room for one: the server gives up altogether. */
async function untilAway(): Promise<void> {
  const gone = () =>
    t.deps.pool.query('SELECT pg_switch_wal(), txid_current()').then(
      () => false,
      () => true,
    )
  for (let tried = 0; !(await gone()); tried++) if (tried > 200) throw new Error('the log always found room')
  await sleep(2_000)
}

async function writesAgain(user: User): Promise<number> {
  const begun = performance.now()
  const write = () => user.call(sendFeedback, { message: '又能写了' }).catch(() => undefined)
  while ((await write())?.status !== 200) await sleep(20)
  return (performance.now() - begun) / 1_000
}

const programs = postgresPrograms() ?? ''
const onServer = (program: string, ...args: string[]) =>
  execFileSync(join(programs, program), args, { ...asItsUser(), cwd: '/', stdio: 'pipe', encoding: 'utf8' })

/** Every page under its checksum, and every index under its table; each throws where something is amiss. */
async function damage(): Promise<number> {
  const found: string[] = []
  const look = (...args: [string, ...string[]]) => {
    try {
      onServer(...args)
    } catch (error) {
      found.push(String((error as { stdout?: string }).stdout || error))
    }
  }
  const { port, pathname } = new URL(databaseUrl)
  const database = ['-h', '127.0.0.1', '-p', port, '-U', 'postgres', '-d', pathname.slice(1)]
  look('pg_amcheck', '--install-missing', '--heapallindexed', ...database)
  await postgres.stop()
  look('pg_checksums', '--check', '-D', join(disk.folder, 'postgres'))
  await postgres.start()
  if (found.length > 0) console.log('F09:', found)
  return found.length
}

/** Space is freed, and the service manager starts the server again. */
async function comeBack(user: User): Promise<number> {
  disk.makeRoom()
  await postgres.kill()
  await postgres.start()
  return await writesAgain(user)
}

test('F09 a full disk is reported as 服务繁忙, loses nothing acknowledged, damages nothing, and all goes on when there is room', async () => {
  const users = await crowd()
  const { user } = users
  const talkers = await beginTalks(t, site, { users: 2 })
  const messages = keepTalking(talkers)
  const full: Outcomes = { reading: [], writing: [], 'signing in': [], opening: [] }
  const away: Outcomes = { reading: [], writing: [], 'signing in': [], opening: [] }
  const back: number[] = []
  await writesAgain(user)
  for (let round = 0; round < rounds; round++) {
    disk.fill()
    await whileFull(users, full)
    await untilAway()
    for (let asked = 0; asked < 20; asked++) await everything(users, away)
    back.push(await comeBack(user))
  }
  await messages.stop()
  const damaged = await damage()
  await writesAgain(user)
  const wrong = await disagreements(t, site, talkers)
  const seen = (outcomes: Outcomes) =>
    JSON.stringify(Object.fromEntries(Object.entries(outcomes).map(([what, all]) => [what, tally(all)])))
  console.log(
    `F09: ${rounds} times full: ${summaryOf(messages.counts)}; full ${seen(full)}; server away ${seen(away)}; writing again after ${back.map((one) => one.toFixed(1))} s`,
    wrong,
  )
  const clean = ['200', '503 SERVICE_BUSY']
  const refused = Object.entries(messages.counts.refused).flatMap(([status, times]) => Array(times).fill(status))
  const all = [
    ...Object.values(full),
    ...Object.values(away),
    refused.map((one) => (one === '503' ? '200' : one)),
  ].flat()
  figure('answers that are neither right nor 服务繁忙', all.filter((one) => !clean.includes(one)).length, ['=', 0])
  figure('writes refused while the disk was full', full.writing.filter((one) => one !== '200').length, ['>=', 20])
  figure('reading refused while the disk was full', full.reading.filter((one) => one !== '200').length, ['=', 0])
  figure('pages that would not open', [...full.opening, ...away.opening].filter((one) => one !== '200').length, [
    '=',
    0,
  ])
  figure('acknowledged messages lost or doubled, disk full', wrong.length, ['=', 0])
  figure('damage found by checksums and amcheck', damaged, ['=', 0])
  figure('longest until writing again after room was made', Math.max(...back), ['<=', 10 * leeway], 's')
})
