import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByPassword, logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, messagesTo, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { type RedisStore, startRedis } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { type Browser, few, number } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

let disk: SmallDisk
let redis: RedisStore
let product: OwnProduct
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  disk = mountSmallDisk(16)
  redis = await startRedis(disk.folder)
  product = await startOwnProduct({ ...shedding, HUFU_REDIS_URL: redis.url })
  ;({ t } = product)
  site = await t.codeSite()
})
afterAll(async () => {
  await product?.stop()
  await redis?.stop()
  disk?.remove()
})

const ask = (...words: string[]) => execFileSync('redis-cli', ['-u', redis.url, ...words], { encoding: 'utf8' }).trim()
const set = (name: string, value: string) => ask('config', 'set', name, value)

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 50) {
    if (waited > 20_000) throw new Error('Redis did not get there')
    await sleep(50)
  }
}

interface Refusal {
  /** What Redis answers to writes. */
  says: string
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

const refusals: Refusal[] = [
  { says: 'OOM', begin: () => void set('maxmemory', '1'), end: () => void set('maxmemory', '0') },
  {
    says: 'MISCONF',
    async begin() {
      disk.fill()
      set('save', '3600 1')
      ask('bgsave')
      await until(() => ask('info', 'persistence').includes('rdb_last_bgsave_status:err'))
    },
    end() {
      disk.makeRoom()
      set('save', '')
    },
  },
  {
    says: 'READONLY',
    begin: () => void ask('replicaof', '127.0.0.1', '1'),
    end: () => void ask('replicaof', 'no', 'one'),
  },
]

const answer = ({ status, code }: { status: number; code: string | undefined }) => `${status} ${code ?? ''}`.trim()

interface Outcomes {
  signedIn: string[]
  counted: string[]
}

/** The responses to signed-in users and to counted calls, for a while. */
async function askAround(users: Browser[], outcomes: Outcomes): Promise<string[]> {
  const account = (await t.user(site)).username
  const mobiles = times(few(40, 10), fresh.mobile)
  for (const mobile of mobiles) {
    const browser = t.browser(site)
    const [infos, code, entered] = await Promise.all([
      Promise.all(users.map((user) => user.call(userInfo))),
      browser.call(sendMobileCode, number(mobile)),
      browser.call(loginByPassword, { account, password: 'Qy#2026wrong' }),
    ])
    outcomes.signedIn.push(...infos.map(answer))
    outcomes.counted.push(answer(code), answer(entered))
  }
  return mobiles
}

test('F09 a Redis that takes no writes is as good as none: users go on, counted calls answer 服务繁忙', async () => {
  const outcomes: Outcomes = { signedIn: [], counted: [] }
  let texted = 0
  let slowest = 0
  for (const { says, begin, end } of refusals) {
    const users = await Promise.all(times(3, () => t.signIn(site)))
    const leaving = await t.signIn(site)
    await begin()
    expect(ask('set', 'probe', '1'), says).toContain(says)
    const mobiles = await askAround(users, outcomes)
    outcomes.signedIn.push(answer(await leaving.call(logout)))
    await end()
    const begun = performance.now()
    const sends = async () => (await t.browser(site).call(sendMobileCode, number(fresh.mobile()))).status
    await expect.poll(sends, { timeout: 10_000 * leeway, interval: 20 }).toBe(200)
    slowest = Math.max(slowest, performance.now() - begun)
    texted += (await Promise.all(mobiles.map(messagesTo))).flat().length
  }
  console.log(
    `F09: signed-in users ${JSON.stringify(tally(outcomes.signedIn))}, counted ${JSON.stringify(tally(outcomes.counted))}`,
  )
  figure('calls of signed-in users that failed', outcomes.signedIn.filter((one) => one !== '200').length, ['=', 0])
  const others = outcomes.counted.filter((one) => one !== '503 SERVICE_BUSY')
  figure('what must be counted and did not say 服务繁忙', others.length, ['=', 0])
  figure('texts sent uncounted', texted, ['=', 0])
  figure('longest until sending again', slowest / 1_000, ['<=', 10 * leeway], 's')
})
