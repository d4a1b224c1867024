import { loginByMobile, logout } from '@hufu/contract/login'
import { closeAccount, exportData, keepAccount } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../apps/server/src/platform/log.ts'
import { createDeps, type Deps } from '../../apps/server/src/shared/deps.ts'
import { eraseAccounts, isErased } from '../../apps/server/test/closing.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, few, type Harness, number, openHarness, password } from '../harness/harness.ts'
import { random } from '../harness/walks.ts'
import { passCheck } from './checks.ts'

let t: Harness
let worker: Deps & { close(): Promise<void> }
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  worker = await createDeps(t.deps.config, createLog({ logLevel: 'silent' }))
  site = await t.codeSite()
})
afterAll(async () => {
  await worker.close()
  await t.close()
})

/** The expected state of a session, derived only from the steps taken. */
interface Session {
  browser: Browser
  alive: boolean
  checked: boolean
  /** A kind of identity proof besides an SMS code, which its new browser needs. */
  second: boolean
}

interface Model {
  id: string
  mobile: string
  sessions: Session[]
  /** Days that are left of a closing. */
  left?: number | undefined
  exports: number
  erased: boolean
  counts: Record<string, number>
}

const isDue = ({ left = 7 }: Model) => left <= 0
const passes = (at: Session) => at.alive && at.checked && at.second
const count = ({ counts }: Model, what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Why a guarded call is refused: by the session, or by a missing identity proof. */
const refusal = (at: Session) =>
  at.alive ? 'TWO_FACTOR_REQUIRED' : expect.stringMatching(/SESSION_REMOVED|NOT_LOGGED_IN/)

const steps: Record<string, (user: Model, at: Session, context: string) => Promise<void>> = {
  async close(user, at, context) {
    const { status, code } = await at.browser.call(closeAccount)
    if (!passes(at)) expect(code, context).toEqual(refusal(at))
    else if (user.left !== undefined) expect(code, context).toBe('CLOSING_ALREADY')
    else expect(status, context).toBe(200)
    count(user, status === 200 ? 'closed' : 'refused')
    if (status !== 200) return
    user.left = 7
    for (const other of user.sessions) if (other !== at) other.alive = false
  },
  async keep(user, at, context) {
    const { status, code } = await at.browser.call(keepAccount)
    if (!at.alive) expect(status, context).toBe(401)
    else if (user.left === undefined) expect(code, context).toBe('CLOSING_NONE')
    else expect(status, context).toBe(200)
    if (status !== 200) return
    user.left = undefined
    count(user, 'kept')
  },
  async export(user, at, context) {
    const { status, code } = await at.browser.call(exportData)
    if (!passes(at)) expect(code, context).toEqual(refusal(at))
    else if (user.exports > 0) expect(code, context).toBe('EXPORT_BUSY')
    else expect(status, context).toBe(200)
    if (status === 200) user.exports++
    count(user, status === 200 ? 'exported' : 'refused')
  },
  async check(user, at) {
    if (!at.alive) return
    await passCheck(t, site, at.browser as Browser, user.mobile)
    at.checked = true
  },
  async second(_user, at, context) {
    const { status } = await at.browser.call(verifyTwoFactor, { password })
    expect(status, context).toBe(at.alive ? 200 : 401)
    at.second = at.alive
  },
  async prove(user, at, context) {
    await steps.check?.(user, at, context)
    await steps.second?.(user, at, context)
  },
  async runOut(_user, at) {
    const past = `UPDATE session SET two_factor_at = two_factor_at - interval '10 minutes',
      second_at = second_at - interval '10 minutes' WHERE id = $1`
    await t.deps.pool.query(past, [(at.browser.cookies.get('__Host-hufu') ?? '').split('.')[1]])
    at.checked = false
    at.second = false
  },
  async signOut(_user, at) {
    const kept = new Map(at.browser.cookies)
    await at.browser.call(logout)
    for (const [name, value] of kept) at.browser.cookies.set(name, value)
    at.alive = false
  },
  async signIn(user, at, context) {
    // The number of an erased account starts another account, which the model doesn't follow.
    if (user.erased) return
    const entered = await signIn(user)
    expect(entered === undefined, context).toBe(isDue(user))
    if (entered) Object.assign(at, entered)
  },
  async days(user) {
    await t.deps.pool.query("UPDATE deletion SET due_at = due_at - interval '3 days' WHERE user_id = $1", [user.id])
    // Days pass here in a moment; the copy in the cache would have run out.
    await t.deps.cache.del(`{${site.id}:${user.id}}:u2`)
    if (user.left !== undefined) user.left -= 3
    if (isDue(user)) for (const session of user.sessions) session.alive = false
  },
  erase: () => eraseAccounts({ deps: worker }),
}

/** By an SMS code in a browser that the account has never seen; undefined when the account can't be used. */
async function signIn({ mobile }: Pick<Model, 'mobile'>): Promise<Session | undefined> {
  await t.passMinute(site, `+86${mobile}`)
  const browser = t.browser(site)
  const { code } = await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
  if (code !== undefined) expect(code).toBe('ACCOUNT_DISABLED')
  return code === undefined ? { browser, alive: true, checked: false, second: false } : undefined
}

async function newUser(): Promise<Model> {
  const { id, mobile } = await t.user(site)
  const sessions = [await signIn({ mobile }), await signIn({ mobile })].filter((each) => each !== undefined)
  return { id, mobile, sessions, exports: 0, erased: false, counts: {} }
}

const rowsOf = async (table: string, { id }: Model): Promise<number> =>
  (await t.deps.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [id])).rows.length

/** Whatever was done: exactly the expected accounts are closed, exported and erased. */
async function compare(user: Model, context: string): Promise<void> {
  // Any run of the job erases accounts that are due, also right now: read the rows before looking at the account.
  const [deletions, exported] = [await rowsOf('deletion', user), await rowsOf('data_export', user)]
  const gone = await isErased({ deps: worker }, site, user.id)
  if (gone) expect(isDue(user), context).toBe(true)
  if (gone && !user.erased) count(user, 'erased')
  user.erased = gone
  if (gone) return
  expect(deletions, context).toBe(user.left === undefined ? 0 : 1)
  expect(exported, context).toBe(user.exports)
}

/** The valid order is tried often enough to be reached, invalid orders far more often. */
const often = ['prove', 'prove', 'prove', 'close', 'close', 'close', 'keep', 'keep', 'days', 'days']

async function walk(seed: number, length: number): Promise<Record<string, number>[]> {
  const pick = random(seed)
  const users = [await newUser(), await newUser()]
  const log = [`seed ${seed}:`]
  const names = [...Object.keys(steps), ...often]
  for (let step = 0; step < length; step++) {
    const [who, which] = [pick(2), pick(3) === 0 ? 1 : 0]
    const name = names[pick(names.length)] as string
    const user = users[who] as Model
    log.push(`${name}${who}${which}`)
    await steps[name]?.(user, user.sessions[which] as Session, log.join(' '))
    for (const each of users) await compare(each, log.join(' '))
  }
  await steps.erase?.(users[0] as Model, users[0]?.sessions[0] as Session, '')
  for (const user of users) await finish(user, log.join(' '))
  return users.map(({ counts }) => counts)
}

/** In the end every account that is due is erased, and every other session is as in the model. */
async function finish(user: Model, context: string): Promise<void> {
  // Another run of the job may still be in progress.
  await expect.poll(() => isErased({ deps: worker }, site, user.id), { timeout: 10_000 }).toBe(isDue(user))
  await compare(user, context)
  for (const { browser, alive } of user.sessions)
    expect((await browser.call(userInfo)).status, context).toBe(alive ? 200 : 401)
}

test('A14 in no order is an account closed, exported or erased without its own step-up, identity proof, request and seven days', async () => {
  const length = 40
  const seeds = Array.from({ length: few(80, 12) }, (_, index) => index + 1)
  const sums: Record<string, number> = {}
  for (let from = 0; from < seeds.length; from += 6) {
    const walks = await Promise.all(seeds.slice(from, from + 6).map((seed) => walk(seed, length)))
    for (const counts of walks.flat())
      for (const [what, times] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + times
  }
  console.log(
    `A14 closing: ${seeds.length} walks of ${length} steps over two users and two sessions each: ${JSON.stringify(sums)}`,
  )
  for (const what of ['closed', 'kept', 'exported', 'refused', 'erased']) expect(sums[what]).toBeGreaterThan(0)
  figure('closing: walks that went as the model says', seeds.length, ['=', seeds.length])
})
